import type { Actor, InspectionEvent, Observer } from 'xstate'
import type { deviceAuthorization } from '../../machines/device-authorization.ts'
import type { DeviceStatus } from '../../machines/device-context.ts'
import type { ClientAuthentication } from '../protocol/client-authentication.ts'
import type { Dpop } from '../protocol/dpop.ts'
import type { OAuthToken } from '../protocol/oauth-token.ts'
import type { Provider } from '../protocol/provider.ts'
import type { RequestOptions } from '../request/options.ts'
import type { Secret } from '../secret.ts'

/** What to show to the user. */
export interface ShownCodes {
  /** The code that the user enters. */
  readonly userCode: string
  /** The URL where the user enters the code. */
  readonly verificationUri: string
  /**
   * The URL that contains the code, for a link or a QR code; absent if the service sends none, or one with another
   * origin. Show the code too (RFC 8628, section 3.3.1).
   */
  readonly verificationUriComplete?: string
  /** When the codes expire, in epoch milliseconds. */
  readonly expiresAt: number
  /** Seconds between two polls. */
  readonly interval: number
}

/** Options that a new login and a resumed one share. */
export interface FlowOptions extends Pick<RequestOptions, 'fetch' | 'clock'> {
  /** Authenticates a confidential client. Default: none, since the device flow does not need it. */
  readonly clientAuthentication?: ClientAuthentication | undefined
  /** The server, as `github({ … })`, `rfc8628({ … })` or `await discover(…)` returns it. Default: `github()`. */
  readonly provider?: Provider | undefined
  /**
   * Binds the tokens of a new login to a key; pass `dpop()` from `authgraph/dpop`. Default: bearer tokens. A login that
   * has a key needs the option too.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc9449.html RFC 9449}
   */
  readonly dpop?: Dpop | undefined
  /** Returns a number from 0 to 1, which spreads the retries of many devices. Default: `Math.random`. */
  readonly random?: () => number
}

/** Options of a login that need its actor. */
export interface ActorOptions extends Pick<RequestOptions, 'signal'> {
  /** Called once, when there are codes to show. Default: none. If it throws or rejects, the error is uncaught. */
  readonly onCodes?: (codes: ShownCodes) => unknown
  /** Receives XState's inspection events, which contain no secrets in plain text. Default: none. */
  readonly inspect?: Observer<InspectionEvent> | ((event: InspectionEvent) => void)
}

/** Options of `deviceInput`: those of `createDeviceAuthorization`, except the ones that need its actor. */
export interface DeviceInputOptions extends FlowOptions {
  /** The client ID of your app. */
  readonly clientId: string | Secret
  /** The scopes to request. Default: none. */
  readonly scopes?: readonly string[] | undefined
  /**
   * The URIs of the services that the token is for: one, or several if the provider allows it. Default: none. Sent with
   * the request for codes, and with every request for a token.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc8707.html#section-2 RFC 8707, section 2}
   */
  readonly resource?: string | readonly string[] | undefined
  /** The API that the token is for, at providers such as Auth0. Default: none. Sent with the request for codes. */
  readonly audience?: string | undefined
  /**
   * Further parameters of the request for codes that your provider documents, such as `acr_values`. Default: none.
   * Parameters that the flow itself sends are refused.
   */
  readonly parameters?: Readonly<Record<string, string | Secret>> | undefined
  /**
   * Sends a PKCE code challenge (method `S256`) with the request for codes, and its code verifier with each poll, for
   * providers that support this in the device flow, such as Keycloak. Default: `false`.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc7636.html RFC 7636}
   */
  readonly pkce?: boolean | undefined
}

/** Options of `createDeviceAuthorization`. Only `clientId` is required. */
export interface DeviceAuthorizationOptions extends DeviceInputOptions, ActorOptions {}

/** Options of `resumeDeviceAuthorization`: what a record does not contain. All are optional. */
export interface ResumeOptions extends FlowOptions, ActorOptions {}

/** Options of `authorizeDevice`. `clientId` and `onCodes` are required. */
export interface AuthorizeDeviceOptions extends DeviceAuthorizationOptions {
  /** Called once with the codes: show them to the user. If it throws or rejects, so does `authorizeDevice`. */
  readonly onCodes: (codes: ShownCodes) => unknown
}

/**
 * Everything another process needs to resume an authorization, as plain JSON.
 *
 * **Sensitive**: it contains the device code, the PKCE code verifier, the key of DPoP and the client ID in plain text. Store it
 * as safely as a token.
 */
export interface ResumeRecord {
  /** The version of this format. */
  v: 1
  /** The client ID, in plain text. */
  clientId: string
  /** The device code, in plain text. */
  deviceCode: string
  /** The PKCE code verifier, in plain text, if its challenge was sent. */
  codeVerifier?: string | undefined
  /** The key of its proofs, if the option `dpop` was set: a private JWK, in plain text. */
  dpopKey?: string | undefined
  /** The code that the user enters. */
  userCode: string
  /** The URL where the user enters the code. */
  verificationUri: string
  /** The URL that contains the code, if the service sent one. */
  verificationUriComplete?: string | undefined
  /** The requested scopes. */
  scopes: string[]
  /** The resources that the token is for. Default: none. */
  resource?: string[] | undefined
  /** The only URL that the device code may be sent to. */
  tokenEndpoint: string
  /** The result of the last poll; `requested` before the first one. */
  status: DeviceStatus
  /** Seconds between two polls. */
  interval: number
  /** Factor from 1 to 2 that every wait is multiplied by, because clocks drift. */
  margin: number
  /** When the next poll is due, in epoch milliseconds. */
  nextPollAt: number
  /** When the codes expire, in epoch milliseconds. */
  expiresAt: number
  /** Original lifetime of the codes in seconds. Default: 900. */
  expiresIn?: number | undefined
  /** When the record was written, in epoch milliseconds. If the clock shows less on resume, it was set back: so are all times. */
  writtenAt?: number | undefined
  /** Polls without a usable response since the last one. Default: 0. */
  faults?: number | undefined
  /** How often `incorrect_device_code` was forgiven. Default: 0. */
  forgiven?: number | undefined
}

/** Options of `stepDeviceLogin`: those of `resumeDeviceAuthorization`, and `save`. All are optional. */
export interface StepDeviceLoginOptions extends Omit<ResumeOptions, 'onCodes'> {
  /**
   * Stores each new record, and is awaited: once before a poll is sent, with the time of the next one, and once after a
   * result that does not end the login. If it throws or rejects, so does the call, and no further poll is sent. Let it
   * reject if the stored record is not `previous`, and no two processes poll for the same time.
   *
   * @param previous The record that `next` replaces: at first the one that was passed to `stepDeviceLogin`; `undefined`
   * in `startDeviceLogin`.
   */
  readonly save?: (next: ResumeRecord, previous: ResumeRecord | undefined) => unknown
}

/** Options of `startDeviceLogin`: those of `createDeviceAuthorization`, and `save`. */
export interface StartDeviceLoginOptions
  extends Omit<DeviceAuthorizationOptions, 'onCodes'>,
    Pick<StepDeviceLoginOptions, 'save'> {}

/** Options of `refresh`. */
export interface RefreshOptions extends RequestOptions {
  /** The client ID that the token was issued to. */
  readonly clientId: string | Secret
  /** How a confidential client authenticates. Default: none. */
  readonly clientAuthentication?: ClientAuthentication | undefined
  /** The URIs of the services that the new token is for. Default: those that the provider chooses. */
  readonly resource?: string | readonly string[] | undefined
  /** The provider that issued the token. Default: `github()`. */
  readonly provider?: Provider | undefined
  /** What `dpop()` from `authgraph/dpop` returns, if the token is bound to a key. Default: nothing. */
  readonly dpop?: Dpop | undefined
  /** Called with the new token before `refresh` resolves: save it here. The old refresh token may already be invalid. */
  readonly onToken?: (token: OAuthToken) => unknown
  /**
   * Cancels this call. A request that has been sent continues, since the old refresh token may already be invalid:
   * `onToken` is still called.
   */
  readonly signal?: AbortSignal | undefined
}

/** The XState actor of one authorization. */
export interface DeviceAuthorizationActor extends Actor<typeof deviceAuthorization> {}
