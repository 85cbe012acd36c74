import {
  type AppJwtOptions,
  type AppJwtSigner,
  createAppJwtSigner,
} from '../app-jwt/create-app-jwt-signer.ts'
import { JwtError } from '../errors.ts'
import { readDate } from '../protocol/response.ts'
import type { Secret } from '../secret.ts'
import type { Auth } from './auth.ts'
import { bearer } from './bearer.ts'

/** Milliseconds by which the service's clock may be behind ours, or ahead, before it refuses a token for its times. */
const BEHIND = 60_000
const AHEAD = 540_000

/** Milliseconds by which the clocks may differ: otherwise a host could ask for tokens that are good in another year. */
const LARGEST_OFFSET = 3_600_000

/** Milliseconds by which a `Date` header is imprecise: it has whole seconds, and was on its way. */
const IMPRECISION = 5_000

/**
 * Authenticates as an application, with a token signed afresh for every request.
 *
 * Where the service refuses a token for its times, the difference between the two clocks is learnt from the response and
 * kept: a device whose clock is wrong pays one more request in its life. It is learnt up to an hour: where the clocks
 * differ by more, the request rejects with a JwtError `clock_skew`.
 *
 * @throws {@link JwtError} `bad_app_id`, at once. What is wrong with the key comes out of the first request.
 * @throws {@link BadOptionError} without options, and for both a `privateKey` and a `sign`.
 * @group Client authentication
 * @see Spec 2.1, 2.4, 5.4, 5.5
 */
export function app(options: AppJwtOptions): Auth & { readonly appId: number | string } {
  return new App(options)
}

class App implements Auth {
  readonly form = 'app'
  readonly appId: number | string
  readonly #signer: AppJwtSigner
  readonly #clock: { now(): number }
  /** Milliseconds by which the service's clock is ahead of ours. */
  #offset = 0

  constructor(options: AppJwtOptions) {
    const clock = options?.clock ?? Date
    this.#clock = clock
    // Without options, the signer says what it needs.
    this.#signer = createAppJwtSigner(
      options && { ...options, clock: { now: () => clock.now() + this.#offset } },
    )
    this.appId = options.appId
  }

  async authorization(): Promise<Secret> {
    return bearer(await this.#signer.sign())
  }

  /** Whether the token was refused for its times is seen from the times alone: the words of a refusal may change. */
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
