import type { CryptoKey, JWK } from 'jose'
import { BadOptionError } from '../../errors.ts'

/** Seconds after which an app JWT must have expired, as at GitHub. */
const LONGEST_LIFETIME = 600

/** Seconds by which the clock that set `iat` may be ahead of ours. */
const LEEWAY = 5

/** An app that authenticates with app JWTs. */
export interface RegisteredApp {
  /** The ID of the app, sent as the claim `iss`. A number and the same number as a string are the same app. */
  readonly appId: number | string
  /** RS256 public keys, each as PEM (SPKI), JWK or CryptoKey. List several during a key rotation. */
  readonly publicKeys: readonly (string | JWK | CryptoKey)[]
}

/** The app of a valid JWT, or what is wrong with it. */
export type VerifiedApp =
  | { readonly ok: true; readonly appId: number | string }
  | { readonly ok: false; readonly problem: string }

/**
 * Verifies app JWTs.
 *
 * @see {@link https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app Generating a JSON Web Token (JWT) for a GitHub App}
 */
export function createAppTokens(apps: readonly RegisteredApp[], clock: { now(): number }) {
  const byIssuer = new Map(
    apps.map((app) => [String(app.appId), { app, keys: lazily(() => importKeys(app)) }]),
  )

  return {
    async verify(token: string): Promise<VerifiedApp> {
      const { decodeJwt } = await import('jose/jwt/decode')
      // Not verified yet: it only says whose keys must have signed the token.
      const unverified = readClaims(() => decodeJwt(token))
      if (unverified === undefined) return refuse('bad credentials')
      const known = byIssuer.get(issuerIn(unverified))
      if (known === undefined) return refuse('the token was issued by an unknown app')
      const claims = await verifiedClaims(token, await known.keys())
      if (claims === undefined) return refuse('the signature of the token is not valid')
      const problem = checkTimes(claims, Math.floor(clock.now() / 1000))
      return problem === undefined ? { ok: true, appId: known.app.appId } : refuse(problem)
    },
  }
}

export type AppTokens = ReturnType<typeof createAppTokens>

interface Claims {
  readonly iss?: unknown
  readonly iat?: unknown
  readonly exp?: unknown
}

function issuerIn({ iss }: Claims): string {
  return typeof iss === 'number' || typeof iss === 'string' ? String(iss) : ''
}

/**
 * The claims that one of the keys has signed. Never trusts the `alg` of the token: `none`, and HS256 with the public key as
 * its secret, are refused.
 */
async function verifiedClaims(token: string, keys: readonly CryptoKey[]): Promise<Claims | undefined> {
  const { compactVerify } = await import('jose/jws/compact/verify')
  for (const key of keys) {
    const verified = await compactVerify(token, key, { algorithms: ['RS256'] }).catch(() => undefined)
    if (verified !== undefined)
      return readClaims(() => JSON.parse(new TextDecoder().decode(verified.payload)))
  }
  return undefined
}

function readClaims(read: () => unknown): Claims | undefined {
  try {
    const claims = read()
    return typeof claims === 'object' && claims !== null ? claims : undefined
  } catch {
    return undefined
  }
}

function checkTimes({ iat, exp }: Claims, now: number): string | undefined {
  if (!Number.isInteger(exp)) return 'the claim exp is not a whole number of seconds'
  if (!Number.isInteger(iat)) return 'the claim iat is not a whole number of seconds'
  if ((exp as number) <= now) return 'the claim exp is in the past'
  if ((exp as number) > now + LONGEST_LIFETIME) return 'the claim exp is too far in the future'
  if ((iat as number) > now + LEEWAY) return 'the claim iat is in the future'
  return undefined
}

async function importKeys({ appId, publicKeys }: RegisteredApp): Promise<CryptoKey[]> {
  const { importJWK, importSPKI } = await import('jose/key/import')
  const read = async (key: RegisteredApp['publicKeys'][number]): Promise<CryptoKey> => {
    if (typeof key === 'string') return importSPKI(key, 'RS256')
    return 'usages' in key ? (key as CryptoKey) : ((await importJWK(key, 'RS256')) as CryptoKey)
  }
  return Promise.all(publicKeys.map(read)).catch(() => {
    throw new BadOptionError(
      `a public key of the app ${appId} cannot be read: use PEM (SPKI), a JWK or a CryptoKey`,
    )
  })
}

function lazily<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => {
    made ??= make()
    return made
  }
}

function refuse(problem: string): VerifiedApp {
  return { ok: false, problem }
}
