import type { Actor, InspectionEvent, Observer } from 'xstate'
import type { DeviceAuthorizationInput, deviceAuthorization } from '../../machines/device-authorization.ts'
import { BadOptionError } from '../errors.ts'
import { github, type Profile } from '../protocol/profiles.ts'
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
  /** The address with the code in it, where the service gives one. Show the code all the same (RFC 8628, 3.3.1). */
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
export type DeviceAuthorizationOptions = CommonOptions &
  (
    | { readonly clientId: string | Secret; readonly resume?: undefined }
    | { readonly clientId?: undefined; readonly scopes?: undefined; readonly resume: ResumeRecord }
  )

/** @inline */
interface CommonOptions {
  /** Of a confidential client alone: sent in the body of both requests. The device flow needs none. */
  readonly clientSecret?: string | Secret
  /** None by default. */
  readonly scopes?: readonly string[] | undefined
  /** Whom to ask: {@link github}`()` by default. */
  readonly profile?: Profile
  /**
   * Called once, when there are codes to show. What it throws ends `authorizeDevice`; beside an actor it is an
   * uncaught error of yours.
   */
  readonly onCodes?: (codes: ShownCodes) => unknown
  /** Cancels the authorization. */
  readonly signal?: AbortSignal | undefined
  /** Sends the requests: the runtime's own by default. */
  readonly fetch?: typeof globalThis.fetch
  /** The runtime's own by default. */
  readonly clock?: Clock
  /** A number from 0 up to 1: `Math.random` by default. */
  readonly random?: () => number
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

/**
 * Makes the input of `deviceMachine` from options.
 *
 * @throws BadOptionError where there is no client id; BadResumeError for a record that cannot be read; WrongHostError
 * for a record of another service.
 * @group Device authorization
 */
export function deviceInput(options: DeviceAuthorizationOptions): DeviceAuthorizationInput {
  const profile = options.profile ?? GITHUB
  const { clientId, scopes, resume } =
    options.resume === undefined ? fresh(options) : readResume(options.resume, profile)
  return {
    clientId,
    clientSecret: secretOf(options.clientSecret),
    scopes,
    profile,
    fetch: options.fetch ?? systemFetch,
    clock: options.clock ?? systemClock,
    jitter: jitterOf((options.random ?? Math.random)()),
    resume,
  }
}

/** Wraps a secret that need not be there. */
export function secretOf(value: string | Secret | undefined): Secret | undefined {
  return value === undefined ? undefined : Secret.of(value)
}

/** Whatever `random` gives, a wait stays a number. */
function jitterOf(random: number): number {
  return Number.isFinite(random) ? Math.min(Math.max(random, 0), 1) : 0
}

function fresh(options: {
  readonly clientId: string | Secret
  readonly scopes?: readonly string[] | undefined
}) {
  const clientId = Secret.of(options.clientId ?? '')
  if (clientId.reveal() === '')
    throw new BadOptionError('clientId is empty: give the client id of the application')
  const scopes = options.scopes ?? []
  if (!isScopes(scopes)) throw new BadOptionError('scopes must be a list of strings')
  return { clientId, scopes, resume: undefined }
}
