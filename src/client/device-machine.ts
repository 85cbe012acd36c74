import { assign, fromPromise } from 'xstate'
import {
  type CodesAnswer,
  type CodesRequest,
  deviceAuthorization,
  type PollRequest,
} from '../../machines/device-authorization.ts'
import { TimedOutError } from '../errors.ts'
import type { PollAnswer } from '../protocol/poll-response.ts'
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
    requestCodes: fromPromise<CodesAnswer, CodesRequest>(({ input, signal }) =>
      unlessAborted(requestCodes(input, signal), signal),
    ),
    pollToken: fromPromise<PollAnswer, PollRequest>(({ input, signal }) =>
      unlessAborted(pollToken(input, signal), signal),
    ),
  },
  actions: {
    keepTimeout: assign({ error: () => new TimedOutError() }),
  },
})

/**
 * Never ends once it was aborted: nobody waits for it then. React's StrictMode stops an actor and starts it again, and
 * the end of the first request would be taken for that of the second.
 */
async function unlessAborted<Answer>(request: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  try {
    return await request
  } finally {
    if (signal.aborted) await new Promise(() => undefined)
  }
}
