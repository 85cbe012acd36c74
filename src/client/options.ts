import type { Actor, InspectionEvent, Observer } from 'xstate'
import type { deviceAuthorization } from '../../machines/device-authorization.ts'
import type { DeviceAuthorizationInput } from '../../machines/device-context.ts'
import { assertKnown, type Names } from '../assert-known.ts'
import { BadOptionError } from '../errors.ts'
import type { ClientAuthentication } from '../protocol/client-authentication.ts'
import { assertDpop, type Dpop } from '../protocol/dpop.ts'
import { isTexts } from '../protocol/fields.ts'
import { type Provider, readProvider } from '../protocol/provider.ts'
import { NO_SCOPES } from '../protocol/syntax.ts'
import { type Clock, systemClock } from '../request/clock.ts'
import type { RequestOptions } from '../request/options.ts'
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

/** Options that a new login and a resumed one share. */
interface FlowOptions extends Pick<RequestOptions, 'fetch' | 'clock'> {
  /** How a confidential client authenticates. The device flow does not need it. Default: none. */
  readonly clientAuthentication?: ClientAuthentication | undefined
  /** What `github({ … })`, `rfc8628({ … })` or `await discover(…)` returns. Default: `github()`. */
  readonly provider?: Provider | undefined
  /**
   * Binds the tokens of a new login to a key: what `dpop()` of `authgraph/dpop` returns. A login that has a key needs it
   * too. Default: bearer tokens.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc9449.html RFC 9449}
   */
  readonly dpop?: Dpop | undefined
  /** Returns a number from 0 to 1, which spreads the retries of many devices. Default: `Math.random`. */
  readonly random?: () => number
}

/** Options of a login that need its actor. */
interface ActorOptions extends Pick<RequestOptions, 'signal'> {
  /** Called once, when there are codes to show. If it throws or rejects, the error is uncaught. */
  readonly onCodes?: (codes: ShownCodes) => unknown
  /** Receives XState's inspection events. They contain no secrets in plain text. */
  readonly inspect?: Observer<InspectionEvent> | ((event: InspectionEvent) => void)
}

/** Options of `deviceInput`: those of `createDeviceAuthorization`, except the ones that need its actor. */
export interface DeviceInputOptions extends FlowOptions {
  /** The client ID of your app. */
  readonly clientId: string | Secret
  /** The scopes to request. Default: none. */
  readonly scopes?: readonly string[] | undefined
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

/** Options of `createDeviceAuthorization`. Only `clientId` is required. */
export interface DeviceAuthorizationOptions extends DeviceInputOptions, ActorOptions {}

/** Options of `resumeDeviceAuthorization`: what a record does not contain. All are optional. */
export interface ResumeOptions extends FlowOptions, ActorOptions {}

/** The XState actor of one authorization. */
export interface DeviceAuthorizationActor extends Actor<typeof deviceAuthorization> {}

/** What a parent machine does instead of using these options. */
const INSTEAD = {
  onCodes: 'read viewOf(snapshot) in "onSnapshot" of the invoke',
  signal: 'send { type: "cancel" } to the child',
  inspect: 'pass it to createActor() with your own machine',
} satisfies Record<keyof ActorOptions, string>

const OF_A_FLOW: Names<FlowOptions> = {
  clientAuthentication: true,
  provider: true,
  dpop: true,
  fetch: true,
  clock: true,
  random: true,
}

/** The names of all options of a new login, except those of its actor. */
export const OF_A_NEW_FLOW: Names<DeviceInputOptions> = {
  ...OF_A_FLOW,
  clientId: true,
  scopes: true,
  resource: true,
  audience: true,
  parameters: true,
  pkce: true,
}

/** What a new login and a resumed one accept. Whoever shares options with the first one passes its client ID again. */
const NEW = { ...OF_A_NEW_FLOW, ...INSTEAD }
const RESUMED = { ...OF_A_FLOW, ...INSTEAD, clientId: true }

/**
 * Creates the input of `deviceMachine` from options, to invoke it in your own machine.
 *
 * @throws {@link BadOptionError} if an option is missing, unknown or invalid, and for `onCodes`, `signal` and `inspect`,
 * which need the actor of `createDeviceAuthorization`.
 */
export function deviceInput(options: DeviceInputOptions): DeviceAuthorizationInput {
  refuseActorOptions(options)
  return newInput(options)
}

/**
 * Creates the input of `deviceMachine` from a record of `exportResume`, to resume a login in your own machine.
 *
 * @throws {@link BadResumeError} if the record cannot be read; {@link WrongHostError} if it belongs to another provider;
 * {@link BadOptionError} as `deviceInput` does.
 */
export function resumeInput(record: ResumeRecord, options: FlowOptions = {}): DeviceAuthorizationInput {
  refuseActorOptions(options)
  return resumedInput(record, options)
}

function refuseActorOptions(options: object): void {
  for (const [name, instead] of Object.entries(INSTEAD))
    if (Object(options)[name] !== undefined)
      throw new BadOptionError(`the input of a machine does not accept "${name}": ${instead}`)
}

/** The input of a new login, from options that are checked. */
export function newInput(options: DeviceInputOptions): DeviceAuthorizationInput & { readonly clock: Clock } {
  assertKnown(options, NEW)
  const given = Object(options) as DeviceInputOptions
  const { scopes = NO_SCOPES, resource, pkce } = given
  const provider = readProvider(given.provider)
  const clientId = readClientId(given.clientId)
  if (!isTexts(scopes)) throw new BadOptionError('scopes must be an array of strings')
  const resources = readResources(resource)
  const parameters = readParameters(given)
  const usesPkce = readPkce(pkce, provider)
  const { authentication, dpop, fetch, clock, jitter } = sharedInput(given, provider)
  // Without a spread, which takes more memory: ten thousand flows may wait at once.
  return {
    clientId,
    scopes,
    resource: resources,
    parameters,
    pkce: usesPkce,
    authentication,
    provider,
    dpop,
    fetch,
    clock,
    jitter,
  }
}

/** The input of a login that a record resumes. */
export function resumedInput(record: ResumeRecord, options: FlowOptions): DeviceAuthorizationInput {
  assertKnown(options, RESUMED)
  const provider = readProvider(options.provider)
  const resumed = readResume(record, provider)
  assertDpop(options.dpop, resumed.resume)
  return { ...resumed, ...sharedInput(options, provider) }
}

function sharedInput(
  { clientAuthentication, dpop, fetch = systemFetch, clock = systemClock, random = Math.random }: FlowOptions,
  provider: Provider,
) {
  if (!Number.isFinite(clock.now())) throw new BadOptionError('clock.now() must return epoch milliseconds')
  assertDpop(dpop)
  const authentication = readAuthentication(clientAuthentication, provider)
  return { authentication, provider, dpop, fetch, clock, jitter: jitterOf(random()) }
}

/** Whatever `random` returns, a wait must remain a number. */
function jitterOf(random: number): number {
  return Number.isFinite(random) ? Math.min(Math.max(random, 0), 1) : 0
}
