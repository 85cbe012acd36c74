import type { Actor, InspectionEvent, Observer } from 'xstate'
import type { DeviceAuthorizationInput, deviceAuthorization } from '../../machines/device-authorization.ts'
import { BadOptionError } from '../errors.ts'
import { github, type Provider } from '../protocol/provider.ts'
import { isScopes } from '../protocol/scopes.ts'
import { Secret } from '../secret.ts'
import { type ResumeRecord, readResume } from './resume.ts'

/**
 * What the user is shown.
 *
 * @group Device authorization
 */
export interface ShownCodes {
  readonly userCode: string
  readonly verificationUri: string
  /**
   * The address with the code in it, where the service gives one on the origin of `verificationUri`. Show the code all
   * the same (RFC 8628, 3.3.1).
   */
  readonly verificationUriComplete?: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** Seconds between two polls. */
  readonly interval: number
}

/**
 * Tells the time and sets timers. XState's `SimulatedClock` is one.
 *
 * @group Device authorization
 */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /**
   * Calls back once.
   *
   * @param delay Milliseconds.
   */
  // biome-ignore lint/suspicious/noExplicitAny: XState's own clocks hand out any kind of timer.
  setTimeout(callback: (...args: any[]) => void, delay: number): any
  /** Has a timer not call back any more. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  clearTimeout(timer: any): void
}

/**
 * What `authorizeDevice` and `createDeviceAuthorization` take: a `clientId`, or a record to `resume`, which holds the
 * client id and the scopes itself. The rest has defaults.
 *
 * @group Device authorization
 */
export type DeviceAuthorizationOptions = FlowOptions & ActorOptions & (NewFlow | ResumedFlow)

/**
 * What `deviceInput` takes: the options of `createDeviceAuthorization` without those that belong to its actor.
 *
 * @group Device authorization
 */
export type DeviceInputOptions = FlowOptions & { readonly [Name in keyof ActorOptions]?: undefined } & (
    | NewFlow
    | ResumedFlow
  )

/** @inline */
interface NewFlow {
  readonly clientId: string | Secret
  readonly resume?: undefined
}

/** @inline */
interface ResumedFlow {
  readonly clientId?: undefined
  readonly scopes?: undefined
  readonly resume: ResumeRecord
}

/** @inline */
interface FlowOptions {
  /** Of a confidential client alone: sent in the body of both requests. The device flow needs none. */
  readonly clientSecret?: string | Secret
  /** None by default. */
  readonly scopes?: readonly string[] | undefined
  /** Whom to ask: {@link github}`()` by default. */
  readonly provider?: Provider
  /** Sends the requests: the runtime's own by default. */
  readonly fetch?: typeof globalThis.fetch
  /** The runtime's own by default. */
  readonly clock?: Clock
  /** A number from 0 up to 1: `Math.random` by default. */
  readonly random?: () => number
}

/** @inline */
interface ActorOptions {
  /**
   * Called once, when there are codes to show. What it throws ends `authorizeDevice`; beside an actor it is an
   * uncaught error of yours.
   */
  readonly onCodes?: (codes: ShownCodes) => unknown
  /** Cancels the authorization. */
  readonly signal?: AbortSignal | undefined
  /** Receives XState's inspection events. They hold no secret in the clear. */
  readonly inspect?: Observer<InspectionEvent> | ((event: InspectionEvent) => void)
}

/**
 * One authorization as an XState actor.
 *
 * @group Device authorization
 */
export interface DeviceAuthorizationActor extends Actor<typeof deviceAuthorization> {}

/** One for all flows: ten thousand of them wait with it. */
const GITHUB = github()

/** Looked up at each call, so that whoever replaces the globals later is obeyed. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, delay) => setTimeout(callback, delay),
  clearTimeout: (timer) => clearTimeout(timer),
}

export const systemFetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init)

/** What a parent machine does instead of the options that `deviceInput` cannot pass on. */
const INSTEAD = {
  onCodes: 'read viewOf(snapshot) in "onSnapshot" of the invoke',
  signal: 'send { type: "cancel" } to the child',
  inspect: 'pass it to createActor() with your own machine',
} satisfies Record<keyof ActorOptions, string>

/**
 * Makes the input of `deviceMachine` from options, for a machine of your own that invokes it.
 *
 * @throws {@link BadOptionError} where there is no client id, where the clock tells no time, or for `onCodes`, `signal` and
 * `inspect`, which need the actor that `createDeviceAuthorization` makes; {@link BadResumeError} for a record that cannot be
 * read; {@link WrongHostError} for a record of another service.
 * @group Device authorization
 */
export function deviceInput(options: DeviceInputOptions): DeviceAuthorizationInput {
  for (const [name, instead] of Object.entries(INSTEAD))
    if (options[name as keyof ActorOptions] !== undefined)
      throw new BadOptionError(`deviceInput() does not accept "${name}": ${instead}`)
  const provider = options.provider ?? GITHUB
  const clock = options.clock ?? systemClock
  if (!Number.isFinite(clock.now())) throw new BadOptionError('clock.now() must return epoch milliseconds')
  const { clientId, scopes, resume } =
    options.resume === undefined ? fresh(options) : readResume(options.resume, provider)
  return {
    clientId,
    clientSecret: readClientSecret(options.clientSecret),
    scopes,
    provider,
    fetch: options.fetch ?? systemFetch,
    clock,
    jitter: jitterOf((options.random ?? Math.random)()),
    resume,
  }
}

/** Reads the client id. Throws BadOptionError where there is none. */
export function readClientId(value: string | Secret | undefined): Secret {
  const clientId = Secret.of(value ?? '', 'clientId')
  if (clientId.reveal() === '') throw new BadOptionError('clientId is empty: pass the client id of your app')
  return clientId
}

/** Reads the client secret, which need not be there. */
export function readClientSecret(value: string | Secret | undefined): Secret | undefined {
  return value === undefined ? undefined : Secret.of(value, 'clientSecret')
}

/** Whatever `random` gives, a wait stays a number. */
function jitterOf(random: number): number {
  return Number.isFinite(random) ? Math.min(Math.max(random, 0), 1) : 0
}

function fresh(options: {
  readonly clientId: string | Secret
  readonly scopes?: readonly string[] | undefined
}) {
  const clientId = readClientId(options.clientId)
  const scopes = options.scopes ?? []
  if (!isScopes(scopes)) throw new BadOptionError('scopes must be an array of strings')
  return { clientId, scopes, resume: undefined }
}
