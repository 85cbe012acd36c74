import { assign, fromPromise } from 'xstate'
import {
  type CodesAnswer,
  type CodesRequest,
  deviceAuthorization,
  type PollRequest,
} from '../../machines/device-authorization.ts'
import { TimedOutError } from '../errors.ts'
import type { PollAnswer } from '../protocol/poll-answer.ts'
import { pollToken } from './poll-token.ts'
import { requestCodes } from './request-codes.ts'

/**
 * The device's machine with its two requests: `createActor(deviceMachine, { input: deviceInput(options) })`, or a child
 * of a machine of your own.
 *
 * @group Device authorization
 */
export const deviceMachine = deviceAuthorization.provide({
  actors: {
    requestCodes: fromPromise<CodesAnswer, CodesRequest>(({ input, signal }) => requestCodes(input, signal)),
    pollToken: fromPromise<PollAnswer, PollRequest>(({ input, signal }) => pollToken(input, signal)),
  },
  actions: {
    keepTimeout: assign({ error: () => new TimedOutError() }),
  },
})
