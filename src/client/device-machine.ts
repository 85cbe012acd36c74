import { assign, fromPromise } from 'xstate'
import {
  type CodesRequest,
  type CodesResponse,
  deviceAuthorization,
  type PollRequest,
} from '../../machines/device-authorization.ts'
import { TimedOutError } from '../errors.ts'
import type { PollResponse } from '../protocol/poll-response.ts'
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
    requestCodes: fromPromise<CodesResponse, CodesRequest>(({ input, signal }) =>
      unlessAborted(requestCodes(input, signal), signal),
    ),
    pollToken: fromPromise<PollResponse, PollRequest>(({ input, signal }) =>
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
async function unlessAborted<Reply>(request: Promise<Reply>, signal: AbortSignal): Promise<Reply> {
  try {
    return await request
  } finally {
    if (signal.aborted) await new Promise(() => undefined)
  }
}
