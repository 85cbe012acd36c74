import type { Actor, InspectionEvent, Observer } from 'xstate'
import type { deviceAuthorization } from '../../machines/device-authorization.ts'
import type { DeviceAuthorizationInput } from '../../machines/device-context.ts'
import { BadOptionError } from '../errors.ts'
import type { ClientAuthentication } from '../protocol/client-authentication.ts'
import { isTexts } from '../protocol/fields.ts'
import { github, type Provider } from '../protocol/provider.ts'
import { type Clock, systemClock } from '../request/clock.ts'
import { systemFetch } from '../request/send.ts'
import type { Secret } from '../secret.ts'
import {
  readAuthentication,
  readClientId,
  readParameters,
  readPkce,
  readResources,
} from './client-options.ts'
import { type ResumeRecord, readResume } from './resume.ts'

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

/**
 * Options of `authorizeDevice` and `createDeviceAuthorization`: either a `clientId`, or a record to `resume`, which
 * contains the client ID and the scopes. Everything else is optional.
 */
export type DeviceAuthorizationOptions = FlowOptions & ActorOptions & (NewFlow | ResumedFlow)

/** Options of `deviceInput`: those of `createDeviceAuthorization`, except the ones that need its actor. */
export type DeviceInputOptions = FlowOptions & { readonly [Name in keyof ActorOptions]?: undefined } & (
    | NewFlow
    | ResumedFlow
  )

/** @inline */
interface NewFlow {
  /** The client ID of your app. */
  readonly clientId: string | Secret
  readonly resume?: undefined
  /**
   * The URIs of the services that the token is for: one, or several if the provider allows it. Sent with the request
   * for codes, and with every request for a token.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc8707.html#section-2 RFC 8707, section 2}
   */
  readonly resource?: string | readonly string[] | undefined
  /** The API that the token is for, at providers such as Auth0. Sent with the request for codes. */
  readonly audience?: string | undefined
  /**
   * Further parameters of the request for codes that your provider documents, such as `acr_values`. Parameters that the
   * flow itself sends are refused.
   */
  readonly parameters?: Readonly<Record<string, string | Secret>> | undefined
  /**
   * Whether to send a PKCE code challenge (method `S256`) with the request for codes and its code verifier with each
   * poll, for providers that support this in the device flow, such as Keycloak. Default: `false`.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc7636.html RFC 7636}
   */
  readonly pkce?: boolean | undefined
}

/** @inline */
interface ResumedFlow {
  readonly clientId?: undefined
  readonly scopes?: undefined
  readonly resource?: undefined
  readonly audience?: undefined
  readonly parameters?: undefined
  readonly pkce?: undefined
  /** A record that `exportResume` returned. */
  readonly resume: ResumeRecord
}

/** @inline */
interface FlowOptions {
  /** How a confidential client authenticates. The device flow does not need it. Default: not at all. */
  readonly clientAuthentication?: ClientAuthentication | undefined
  /** The scopes to request. Default: none. */
  readonly scopes?: readonly string[] | undefined
  /** The service to log in to. Default: {@link github}`()`. */
  readonly provider?: Provider
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
  /** Tells the time and sets timers. Default: the system clock. */
  readonly clock?: Clock
  /** Returns a number from 0 to 1, which spreads the retries of many devices. Default: `Math.random`. */
  readonly random?: () => number
}

/** @inline */
interface ActorOptions {
  /**
   * Called once, when there are codes to show. If it throws or rejects, `authorizeDevice` rejects with that error; with
   * an actor, the error is uncaught.
   */
  readonly onCodes?: (codes: ShownCodes) => unknown
  /** Cancels the authorization. */
  readonly signal?: AbortSignal | undefined
  /** Receives XState's inspection events. They contain no secrets in plain text. */
  readonly inspect?: Observer<InspectionEvent> | ((event: InspectionEvent) => void)
}

/** The XState actor of one authorization. */
export interface DeviceAuthorizationActor extends Actor<typeof deviceAuthorization> {}

/** Shared by all flows, because ten thousand of them may wait at once. */
const GITHUB = github()

/** What a parent machine does instead of using these options. */
const INSTEAD = {
  onCodes: 'read viewOf(snapshot) in "onSnapshot" of the invoke',
  signal: 'send { type: "cancel" } to the child',
  inspect: 'pass it to createActor() with your own machine',
} satisfies Record<keyof ActorOptions, string>

/**
 * Creates the input of `deviceMachine` from options, to invoke it in your own machine.
 *
 * @throws {@link BadOptionError} if an option is missing or invalid, and for `onCodes`, `signal` and `inspect`, which
 * need the actor of `createDeviceAuthorization`.
 * @throws {@link BadResumeError} if the resume record cannot be read.
 * @throws {@link WrongHostError} if the resume record belongs to another provider.
 */
export function deviceInput(options: DeviceInputOptions): DeviceAuthorizationInput {
  for (const [name, instead] of Object.entries(INSTEAD))
    if (options[name as keyof ActorOptions] !== undefined)
      throw new BadOptionError(`deviceInput() does not accept "${name}": ${instead}`)
  const provider = options.provider ?? GITHUB
  const clock = options.clock ?? systemClock
  if (!Number.isFinite(clock.now())) throw new BadOptionError('clock.now() must return epoch milliseconds')
  const flow =
    options.resume === undefined ? newFlow(options, provider) : readResume(options.resume, provider)
  return {
    ...flow,
    authentication: readAuthentication(options.clientAuthentication, provider),
    provider,
    fetch: options.fetch ?? systemFetch,
    clock,
    jitter: jitterOf((options.random ?? Math.random)()),
  }
}

/** Whatever `random` returns, a wait must remain a number. */
function jitterOf(random: number): number {
  return Number.isFinite(random) ? Math.min(Math.max(random, 0), 1) : 0
}

function newFlow(options: NewFlow & Pick<FlowOptions, 'scopes'>, provider: Provider) {
  const clientId = readClientId(options.clientId)
  const scopes = options.scopes ?? []
  if (!isTexts(scopes)) throw new BadOptionError('scopes must be an array of strings')
  return {
    clientId,
    scopes,
    resource: readResources(options.resource),
    parameters: readParameters(options),
    pkce: readPkce(options.pkce, provider),
  }
}
