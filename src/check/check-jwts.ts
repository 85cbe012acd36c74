import type { JSONWebKeySet } from 'jose'
import { memberOf, textMemberOf } from '../request/http.ts'
import { type Check, NotApplicable } from './check.ts'
import { publishedUrl } from './check-documents.ts'
import type { CheckedResponse } from './wire.ts'

/** Members of a JWK that only a private or symmetric key has. RFC 7518, sections 6.2.2, 6.3.2 and 6.4. */
const PRIVATE = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

const CLAIMS = { exp: 'number', sub: 'string', iat: 'number', jti: 'string' }

/** Checks the published keys, and the newest access token if it says that it is a JWT of RFC 9068. */
export async function checkJwts(check: Check, published: CheckedResponse | undefined): Promise<void> {
  const keys = await check.wire.send({ method: 'GET', url: publishedUrl(check, published, 'jwks_uri') })
  check.judge('jwks', keys, keysProblem(keys))
  const response = check.wire.responses.findLast(({ body }) => textMemberOf(body, 'access_token'))
  const token = textMemberOf(response?.body, 'access_token')
  if (response === undefined || token === undefined) throw check.noToken
  const { decodeProtectedHeader } = await import('jose/decode/protected_header')
  const { decodeJwt } = await import('jose/jwt/decode')
  try {
    const { typ = '' } = decodeProtectedHeader(token)
    if (!/^(application\/)?at\+jwt$/i.test(typ)) throw new TypeError('another type')
    const issuer = textMemberOf(published?.body, 'issuer')
    check.judge('jwt-claims', response, claimsProblem(decodeJwt(token), issuer, check.clientId))
  } catch {
    throw new NotApplicable('the access token does not say that it is a JWT of the type at+jwt')
  }
  check.judge('jwt-signature', response, await signatureProblem(token, keys.body))
}

function keysProblem({ status, body }: CheckedResponse): string | undefined {
  const keys = memberOf(body, 'keys')
  if (status !== 200 || !Array.isArray(keys)) return `wanted status 200 and "keys", got status ${status}`
  const found = PRIVATE.find((name) => keys.some((key) => memberOf(key, name) !== undefined))
  return found && `a key has the private member "${found}"`
}

function claimsProblem(
  claims: Readonly<Record<string, unknown>>,
  issuer: string | undefined,
  clientId: string,
): string | undefined {
  // RFC 9068, section 4: exactly as in the metadata.
  if (claims.iss !== issuer) return 'iss is not the issuer of the metadata'
  if (claims.client_id !== clientId) return 'client_id is not the client'
  if ([claims.aud ?? []].flat().length === 0) return 'aud is missing'
  const wrong = Object.entries(CLAIMS).find(([name, type]) => typeof claims[name] !== type)
  return wrong && `${wrong[0]} is missing, or not a ${wrong[1]}`
}

async function signatureProblem(token: string, keys: unknown): Promise<string | undefined> {
  const [{ compactVerify }, { createLocalJWKSet }] = await Promise.all([
    import('jose/jws/compact/verify'),
    import('jose/jwks/local'),
  ])
  try {
    await compactVerify(token, createLocalJWKSet(keys as JSONWebKeySet))
    return undefined
  } catch (error) {
    const code = textMemberOf(error, 'code')
    if (code === 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED') return 'the signature is wrong'
    if (code === 'ERR_JWKS_NO_MATCHING_KEY') return 'no key of jwks_uri fits'
    throw new NotApplicable('the signature cannot be verified here: its algorithm or keys are unusual')
  }
}
