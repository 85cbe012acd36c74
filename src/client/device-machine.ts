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
      whileRunning(signal, requestCodes(input, signal)),
    ),
    pollToken: fromPromise<PollResponse, PollRequest>(({ input, signal }) =>
      whileRunning(signal, pollToken(input, signal)),
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
 * Settles like the request, but never once it was aborted, when nothing waits for it any more. React's StrictMode stops an
 * actor and starts it again: the end of the first request would be mistaken for that of the second.
 */
function whileRunning<Result>(signal: AbortSignal, request: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.then(
      (result) => signal.aborted || resolve(result),
      (error) => signal.aborted || reject(error),
    )
  })
}
