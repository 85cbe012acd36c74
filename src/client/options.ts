import type { Actor, InspectionEvent, Observer } from 'xstate'
import type { deviceAuthorization } from '../../machines/device-authorization.ts'
import type { ClientAuthentication } from '../protocol/client-authentication.ts'
import type { Dpop } from '../protocol/dpop.ts'
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
   * Binds the tokens of a new login to a key; pass `dpop()` of `authgraph/dpop`. Default: bearer tokens. A login that
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

/** The XState actor of one authorization. */
export interface DeviceAuthorizationActor extends Actor<typeof deviceAuthorization> {}
