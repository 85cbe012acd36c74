import {
  type AppJwtOptions,
  type AppJwtSigner,
  createAppJwtSigner,
} from '../app-jwt/create-app-jwt-signer.ts'
import { assertKnown, type Names } from '../assert-known.ts'
import { JwtError } from '../errors.ts'
import { readDate } from '../request/http.ts'
import type { Secret } from '../secret.ts'
import type { Auth } from './auth.ts'
import { bearer } from './bearer.ts'

/**
 * Milliseconds by which the service's clock may be behind or ahead of ours before it refuses a token because of its
 * times.
 */
const BEHIND = 60_000
const AHEAD = 540_000

/**
 * Largest difference between the clocks in milliseconds: otherwise a host could obtain tokens that are valid in another
 * year.
 */
const LARGEST_OFFSET = 3_600_000

/** Imprecision of a `Date` header in milliseconds: it has whole seconds, and took time to arrive. */
const IMPRECISION = 5_000

/**
 * Authenticates as a GitHub App, with an app JWT that is signed for every request.
 *
 * If the service refuses a token because of its times, the difference between the two clocks is read from the response
 * and remembered, so that a wrong clock costs one extra request. If the clocks differ by more than an hour, the request
 * rejects with a {@link JwtError} `clock_skew`.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs'
 * import { app, createApi } from 'authgraph/auth'
 *
 * const auth = app({
 *   appId: 123456,
 *   privateKey: readFileSync('app.pem', 'utf8'),
 * })
 * const installations = await createApi({ auth })('/app/installations')
 * ```
 *
 * @throws {@link JwtError} `bad_app_id` at once; an unusable key makes the first request reject.
 * @throws {@link BadOptionError} if there are no options, or both `privateKey` and `sign`.
 * @see {@link
 * https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/authenticating-as-a-github-app
 * GitHub: authenticating as a GitHub App}
 */
export function app(options: AppJwtOptions): AppAuth {
  assertKnown(options, KNOWN)
  return new App(options)
}

const KNOWN: Names<AppJwtOptions> = { appId: true, privateKey: true, sign: true, clock: true }

/** Authenticates as a GitHub App. */
export interface AppAuth extends Auth {
  /** The app ID or the client ID of the app. */
  readonly appId: number | string
}

class App implements AppAuth {
  readonly form = 'app'
  readonly appId: number | string
  readonly #signer: AppJwtSigner
  readonly #clock: { now(): number }
  /** Milliseconds by which the service's clock is ahead of ours. */
  #offset = 0

  constructor(options: AppJwtOptions) {
    const clock = options?.clock ?? Date
    this.#clock = clock
    // Without options, the signer throws an error that says what it needs.
    this.#signer = createAppJwtSigner(
      options && { ...options, clock: { now: () => clock.now() + this.#offset } },
    )
    this.appId = options.appId
  }

  async authorization(): Promise<Secret> {
    return bearer(await this.#signer.sign())
  }

  /** Judges by the times alone whether they caused the refusal: the wording of a refusal may change. */
  learn(refusal: Response): boolean {
    const date = readDate(refusal.headers.get('date'))
    if (refusal.status !== 401 || date === undefined) return false
    const offset = date - this.#clock.now()
    const wrong = offset - this.#offset
    if (wrong > IMPRECISION - BEHIND && wrong < AHEAD - IMPRECISION) return false
    if (Math.abs(offset) > LARGEST_OFFSET)
      throw new JwtError(
        'clock_skew',
        'the clocks of this device and of the API differ by more than an hour: correct the clock of this device',
      )
    this.#offset = offset
    return true
  }
}
