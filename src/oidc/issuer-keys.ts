import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose'
import { createLocalJWKSet } from 'jose/jwks/local'
import { discover } from '../client/discover.ts'
import { BadResponseError } from '../errors.ts'
import type { Provider } from '../protocol/provider.ts'
import { within } from '../request/clock.ts'
import { get } from '../request/http.ts'
import type { Clock } from '../request/options.ts'

/** Milliseconds for which metadata and keys are used without asking again. */
const FRESH = 600_000

/** Milliseconds for which they are used while the issuer does not respond. */
const USABLE = 3_600_000

/** Milliseconds between two requests because of keys that are not known: anyone can make them up. */
const NEW_KEYS = 60_000

/** Milliseconds after a failed request in which there is no other. */
const PAUSE = 5000

/** Seconds for the metadata and the keys. */
const TIMEOUT = 10

export interface IssuerKeys {
  readonly provider: Provider
  /** Finds the key of a token. `undefined` if the issuer publishes no keys. */
  readonly findKey: JWTVerifyGetKey | undefined
  /** Epoch milliseconds. */
  readonly at: number
}

interface Via {
  readonly fetch: typeof globalThis.fetch
  readonly clock: Clock
}

/** Fetches the metadata and the keys of an issuer when they are needed, and keeps them. Concurrent callers share a request. */
export function createIssuerKeys(issuer: string, { fetch, clock }: Via) {
  let known: IssuerKeys | undefined
  let failed: { readonly error: unknown; readonly at: number } | undefined
  let loading: Promise<IssuerKeys> | undefined

  async function load(): Promise<IssuerKeys> {
    try {
      const provider = await within({ clock, timeout: TIMEOUT }, (signal) =>
        discover(issuer, { fetch, clock, signal }),
      )
      const { jwksUri } = provider
      const findKey = jwksUri === undefined ? undefined : await fetchKeys(jwksUri, { fetch, clock })
      failed = undefined
      known = { provider, findKey, at: clock.now() }
      return known
    } catch (error) {
      failed = { error, at: clock.now() }
      throw error
    } finally {
      loading = undefined
    }
  }

  /** @param pause Milliseconds after a failure in which it is not tried again. */
  async function reload(pause: number): Promise<IssuerKeys> {
    if (failed && clock.now() < failed.at + pause) throw failed.error
    loading ??= load()
    return loading
  }

  return {
    /** Throws what `discover` throws, and the errors of a request. */
    async current(): Promise<IssuerKeys> {
      const now = clock.now()
      if (known && now < known.at + FRESH) return known
      try {
        return await reload(PAUSE)
      } catch (error) {
        if (known && now < known.at + USABLE) return known
        throw error
      }
    },

    /** The keys for a token whose key is not known: newer ones, unless those are from this minute. Throws as `current` does. */
    async newest(): Promise<IssuerKeys> {
      return known && clock.now() < known.at + NEW_KEYS ? known : reload(NEW_KEYS)
    },
  }
}

async function fetchKeys(jwksUri: string, { fetch, clock }: Via): Promise<JWTVerifyGetKey> {
  const { status, body } = await within({ clock, timeout: TIMEOUT }, (signal) =>
    get(jwksUri, { fetch, clock }, signal),
  )
  try {
    if (status === 200) return createLocalJWKSet(body as JSONWebKeySet)
  } catch {
    // Not a key set.
  }
  throw new BadResponseError('the keys of the issuer cannot be read')
}
