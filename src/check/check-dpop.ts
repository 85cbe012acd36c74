import { dpop } from '../dpop/dpop.ts'
import { isDpop } from '../protocol/syntax.ts'
import { memberOf, textMemberOf } from '../request/http.ts'
import type { Secret } from '../secret.ts'
import { type Check, NotApplicable, type StartedGrant } from './check.ts'
import { approvedGrant } from './logins.ts'
import { outcomeOf } from './problems.ts'
import type { CheckedResponse } from './wire.ts'

/** Checks DPoP with a login, if the metadata says that the service supports it. */
export async function checkDpop(check: Check, published: CheckedResponse | undefined): Promise<void> {
  const algorithms = memberOf(published?.body, 'dpop_signing_alg_values_supported')
  if (algorithms === undefined)
    throw new NotApplicable('the metadata has no dpop_signing_alg_values_supported')
  check.judge('dpop-algorithms', published, areAsymmetric(algorithms) ? undefined : 'it lists others')
  if (!Array.isArray(algorithms) || !algorithms.includes('ES256'))
    throw new NotApplicable('the service does not support ES256')

  const { tokenEndpoint } = check.options.provider
  const grant = await approvedGrant(check)
  const proofs = dpop()
  const key = await proofs.createKey()
  async function pollWith(url: string): Promise<CheckedResponse> {
    if (check.fits(grant, grant.shown.interval)) await check.wait(grant.shown.interval)
    const now = check.options.clock.now()
    const response = await pollWithProof(check, grant, await proofs.prove(key, { method: 'POST', url, now }))
    proofs.learn(tokenEndpoint, {
      body: response.body,
      nonce: response.headers.get('dpop-nonce') ?? undefined,
      date: undefined,
      at: now,
    })
    return response
  }

  const elsewhere = await pollWith(new URL('/authgraph-check', tokenEndpoint).href)
  check.judge('dpop-proof', elsewhere, tokenTypeOf(elsewhere) && 'got a token')
  let response = await pollWith(tokenEndpoint)
  if (response.error === 'use_dpop_nonce') response = await pollWith(tokenEndpoint)
  const type = tokenTypeOf(response)
  if (type === undefined) throw new NotApplicable(`the poll with a proof got ${outcomeOf(response)}`)
  check.judge('dpop-token-type', response, isDpop(type) ? undefined : 'token_type is not DPoP')
}

function pollWithProof(check: Check, { deviceCode }: StartedGrant, proof: Secret): Promise<CheckedResponse> {
  const { encoding, options } = check
  const fields = check.pollFields(deviceCode)
  return check.wire.send({ method: 'POST', url: options.provider.tokenEndpoint, fields, encoding, proof })
}

/** `undefined` without a token. */
function tokenTypeOf({ body }: CheckedResponse): string | undefined {
  return textMemberOf(body, 'access_token') && (textMemberOf(body, 'token_type') ?? '')
}

function areAsymmetric(algorithms: unknown): boolean {
  const isAsymmetric = (name: unknown) => typeof name === 'string' && !/^(none$|HS)/i.test(name)
  return Array.isArray(algorithms) && algorithms.length > 0 && algorithms.every(isAsymmetric)
}
