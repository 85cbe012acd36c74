import type { AnyAuthgraphError } from '../src/errors.ts'
import type { ResolvedAuthentication } from '../src/protocol/client-authentication.ts'
import type { DeviceCodes } from '../src/protocol/device-codes.ts'
import type { Dpop } from '../src/protocol/dpop.ts'
import type { OAuthToken } from '../src/protocol/oauth-token.ts'
import type { Provider } from '../src/protocol/provider.ts'
import type { Secret } from '../src/secret.ts'

/** The result of the last poll: `requested` before the first poll, `pending`, or `slowed` after `slow_down`. */
export type DeviceStatus = 'requested' | 'pending' | 'slowed'

/** Input of the device machine. It does not change while the machine runs. */
export interface DeviceAuthorizationInput {
  /** The client ID, sent with every request. */
  readonly clientId: Secret
  /** How the client authenticates. */
  readonly authentication: ResolvedAuthentication
  /** The scopes to request. */
  readonly scopes: readonly string[]
  /** The resources that the token is for, sent with every request. */
  readonly resource?: readonly string[] | undefined
  /** Further parameters of the request for codes. */
  readonly parameters: Readonly<Record<string, string | Secret>>
  /** Whether to prove with PKCE that the poll comes from who requested the codes. */
  readonly pkce: boolean
  /** Binds the token to a key. */
  readonly dpop?: Dpop | undefined
  /** The service to log in to. */
  readonly provider: Provider
  /** Sends the requests. */
  readonly fetch: typeof globalThis.fetch
  /** Tells the time. */
  readonly clock: {
    /** Returns the current time in epoch milliseconds. */
    now(): number
  }
  /** A number from 0 to 1, which spreads the retries of many devices. */
  readonly jitter: number
  /** Where to resume, instead of requesting codes. */
  readonly resume?: Progress | undefined
}

/** The progress of an authorization that has its codes. Points in time are epoch milliseconds. */
export interface Progress {
  /** The codes that the service issued. */
  readonly codes: DeviceCodes
  /** The PKCE code verifier whose challenge was sent with the request for codes, if one was. */
  readonly codeVerifier?: Secret | undefined
  /** The key that the token is bound to: a private JWK. */
  readonly dpopKey?: Secret | undefined
  /** The result of the last poll. */
  readonly status: DeviceStatus
  /** Seconds that the service requires between two polls. Never decreases. */
  readonly interval: number
  /** Factor that every wait is multiplied by. Never decreases. */
  readonly margin: number
  /** When the next poll is due. */
  readonly nextPollAt: number
  /** When the codes expire. */
  readonly expiresAt: number
  /** When the clock was last read. If it shows less now, it was set back, and all times are set back with it. */
  readonly lookedAt: number
  /** Number of faults since the last response. Default: 0. */
  readonly faults?: number
  /** How often `incorrect_device_code` was forgiven. Default: 0. */
  readonly forgiven?: number
}

/** The context of the device machine. Before the codes have arrived, the fields of {@link Progress} have no meaning. */
export interface DeviceAuthorizationContext
  extends Required<Omit<Progress, 'codes' | 'codeVerifier' | 'dpopKey'>>,
    Pick<Progress, 'codeVerifier' | 'dpopKey'> {
  /** The input of the machine. */
  readonly flow: DeviceAuthorizationInput
  /** The codes; `undefined` until they arrive. */
  readonly codes: DeviceCodes | undefined
  /** Milliseconds by which faults lengthen the current wait: `wake` ends them. */
  readonly backoff: number
  /** Number of polls sent. */
  readonly polls: number
  /** The token, once the user has authorized the device. */
  readonly token: OAuthToken | undefined
  /** The last fault, or the error that ended the flow. */
  readonly error: AnyAuthgraphError | undefined
}

/** How an authorization ended. */
export type DeviceResult =
  | { readonly status: 'authorized'; readonly token: OAuthToken }
  | { readonly status: 'expired' | 'denied' | 'cancelled' }
  | { readonly status: 'failed'; readonly error: AnyAuthgraphError }

/** Input of the actor `requestCodes`. */
export interface CodesRequest extends Omit<DeviceAuthorizationInput, 'jitter' | 'resume'> {}

/** Output of the actor `requestCodes`. Points in time are epoch milliseconds. */
export interface CodesResponse {
  /** The codes that the service issued. */
  readonly codes: DeviceCodes
  /** The PKCE code verifier whose challenge was sent, if one was. */
  readonly codeVerifier?: Secret | undefined
  /** The key of its proof, if it had one. */
  readonly dpopKey?: Secret | undefined
  /** When the request was sent. */
  readonly sentAt: number
  /** When the response arrived. */
  readonly at: number
}

/** Input of the actor `pollToken`. */
export interface PollRequest {
  /** The input of the machine. */
  readonly flow: CodesRequest
  /** The device code to poll with. */
  readonly deviceCode: Secret
  /** The PKCE code verifier, if its challenge was sent. */
  readonly codeVerifier?: Secret | undefined
  /** The key to prove each poll with, if the token is to be bound to one. */
  readonly dpopKey?: Secret | undefined
}

/**
 * Events that you can send to the device machine.
 *
 * - `cancel` ends the flow at once.
 * - `wake` says that the device slept, a tab was hidden, or the network is back, and makes the machine re-check the clock:
 *   it polls at once if a poll is due, and ends if the codes have expired. If faults lengthen the wait, a poll is due when
 *   the interval is over, but not before the service allows it.
 */
export type DeviceAuthorizationEvent = { readonly type: 'cancel' } | { readonly type: 'wake' }
