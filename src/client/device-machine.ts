import { assign, fromPromise } from 'xstate'
import { deviceAuthorization } from '../../machines/device-authorization.ts'
import type { CodesRequest, CodesResponse, PollRequest } from '../../machines/device-context.ts'
import { TimedOutError } from '../errors.ts'
import type { PollResponse } from '../protocol/poll-response.ts'
import { nameRequest } from '../request/name-request.ts'
import { pollToken } from './poll-token.ts'
import { requestCodes } from './request-codes.ts'

/**
 * The device machine with its two requests. Run it with `createActor(deviceMachine, { input: deviceInput(options) })`,
 * or invoke it in your own machine.
 */
export const deviceMachine = deviceAuthorization.provide({
  actors: {
    requestCodes: fromPromise<CodesResponse, CodesRequest>(({ input, signal }) =>
      settleWhileRunning(requestCodes(input, signal), signal),
    ),
    pollToken: fromPromise<PollResponse, PollRequest>(({ input, signal }) =>
      settleWhileRunning(pollToken(input, signal), signal),
    ),
  },
  actions: {
    keepTimeout: assign({
      error: ({ context: { codes, flow } }) => {
        const address = flow.provider[codes ? 'tokenEndpoint' : 'deviceAuthorizationEndpoint']
        return new TimedOutError(nameRequest({ method: 'POST', address }))
      },
    }),
  },
})

/**
 * Never settles once it was aborted, when nothing waits for it any more. React's StrictMode stops an actor and starts
 * it again: the end of the first request would be mistaken for that of the second.
 */
async function settleWhileRunning<Result>(request: Promise<Result>, signal: AbortSignal): Promise<Result> {
  try {
    return await request
  } finally {
    if (signal.aborted) await new Promise(() => undefined)
  }
}
