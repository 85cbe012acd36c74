import { ProofError } from '../../access/proof.ts'
import { splitScopes } from '../../protocol/syntax.ts'
import { Secret } from '../../secret.ts'
import type { KnownClient } from '../credentials/clients.ts'
import { newRefreshToken } from '../credentials/random-codes.ts'
import { readScopes } from '../grants/read-scopes.ts'
import { allowedScopes, fitsLogin, refuseTarget } from '../grants/resources.ts'
import { refuse, refuseAbove } from '../host/refused-request.ts'
import { type ServiceRequest, type ServiceResponse, unavailable } from '../http/types.ts'
import type { Parts } from '../parts.ts'
import { type Claimed, type KnownToken, ofFamily } from '../tokens/families.ts'
import { issueFor, secondsUntil } from '../tokens/issued-token.ts'
import type { TokenPair } from '../tokens/successors.ts'
import { proofOf, refuseProof, spendProof } from './proof-of.ts'
import { tokenResponse } from './token-response.ts'

const ERRORS = { error_uri: 'https://www.rfc-editor.org/rfc/rfc6749.html#section-5.2' }

interface RefreshRequest {
  readonly request: ServiceRequest
  readonly client: KnownClient
  readonly refreshToken: Secret
  readonly scope: string | undefined
  readonly resource: string | undefined
}

/**
 * Responds to a refresh. A request that comes while another one spends the same token is held until that one has its
 * pair, and gets the same; it is never refused. RFC 6749, section 6.
 */
export async function refreshLogin(
  parts: Parts,
  { request, client, refreshToken, scope, resource: named }: RefreshRequest,
): Promise<ServiceResponse> {
  const { families, resources, revocations, limiter, heldRefreshes, emit, clientAddress, dialect, clock } =
    parts
  const refuseToken = () =>
    refuse(dialect.pollError, dialect.badRefreshToken, 'the refresh token is not valid', ERRORS)
  const proof = await proofOf(parts, request, client)
  const known = await families.find(refreshToken)
  if (known === undefined) {
    refuseAbove(await limiter.wrongDeviceCode(clientAddress(request)), { client: client.reference })
    return refuseToken()
  }
  const { family, id } = known
  const { user } = family
  if (family.client !== client.reference) return refuseToken()
  if ((await revocations.count(user)) !== family.revocations) return refuseToken()
  const target = resources.of(family)
  if (target === 'unknown' || !fitsLogin(resources, named, family)) return refuseTarget(dialect.pollError)
  const allowed = allowedScopes(client.scopes, target?.scopes)
  const granted = splitScopes(family.scope, ' ').filter((name) => allowed?.includes(name) ?? true)
  const requested = readScopes(scope ?? '', granted, ERRORS)
  const scopes = requested.length > 0 ? requested : granted

  // A token from before the key was free to steal: used again by its owner, it tells of a thief who has bound the login.
  const isBound = family.jkt !== undefined && known.generation >= (family.boundFrom ?? 0)
  if (isBound && family.jkt !== proof?.jkt) refuseKey()
  await spendProof(parts, proof)
  const { resource } = family
  const login = { family: id, user, client: client.reference }
  const deliver = async (pair: TokenPair, event?: { readonly replayed: boolean }) => {
    if (pair.jkt !== proof?.jkt) refuseKey()
    if (event)
      await emit(
        { type: 'token.refreshed', ...login, scopes: pair.scopes, ...(resource && { resource }), ...event },
        request,
      )
    return tokenResponse(dialect, {
      token: pair.accessToken,
      jkt: pair.jkt,
      idToken: pair.idToken,
      scopes: pair.scopes,
      expiresIn: secondsUntil(pair.expiresAt, clock.now()),
      refresh: { token: pair.refreshToken, expiresIn: secondsUntil(family.expiresAt, clock.now()) },
    })
  }
  const hold = heldRefreshes.hold(known.hash)
  let held = false
  try {
    while (!hold.isOver() && !request.isGone()) {
      const claim = crypto.randomUUID()
      const look = () => families.refresh(known, claim, held)
      const found = await (held ? hold.look(look) : look())
      switch (found.type) {
        case 'claimed': {
          if (found.claim !== claim) {
            await hold.wait()
            break
          }
          const allowed = await limiter.refresh(id, clientAddress(request))
          if (!allowed.ok) await families.notIssued(known, found)
          refuseAbove(allowed, { client: client.reference, family: id })
          const order = { known, claimed: found, client, scopes, jkt: proof?.jkt }
          const pair = await heldRefreshes.spend(known.hash, () => issue(parts, request, order))
          if (pair === 'failed') return unavailable()
          if (pair === 'dropped') break
          return await deliver(pair, { replayed: false })
        }
        case 'held':
          await hold.wait()
          break
        case 'replay':
          return await deliver(found.pair, held ? undefined : { replayed: true })
        case 'busy':
          return unavailable()
        case 'reuse':
          await emit({ type: 'reuse.detected', ...login }, request)
          return refuseToken()
        case 'refused':
          return refuseToken()
      }
      held = true
    }
  } finally {
    hold.end()
  }
  return unavailable()
}

/** Nothing ends: the client may have sent the proof of another login. */
function refuseKey(): never {
  return refuseProof(new ProofError('the refresh token is bound to another key: send a proof of that key'))
}

interface Order {
  readonly known: KnownToken
  readonly claimed: Claimed
  readonly client: KnownClient
  readonly scopes: readonly string[]
  readonly jkt: string | undefined
}

/**
 * Issues the next pair. Returns `failed` if the host failed or the client has disconnected: the refresh token is free
 * again; and `dropped` if another request has taken the claim, or the family has ended.
 */
async function issue(
  parts: Parts,
  { isGone }: ServiceRequest,
  { known, claimed, client, scopes, jkt }: Order,
): Promise<TokenPair | 'failed' | 'dropped'> {
  const { families, tokens, onError } = parts
  const { id, family } = known
  const { user, revocations, resource } = family
  const target = { ...(resource && { resource }), ...(jkt && { jkt }) }
  let pair: TokenPair | undefined
  try {
    const secondsLeft = (issuedAt: number) => secondsUntil(family.expiresAt, issuedAt)
    const order = { user, client, scopes, ...target, family: id, secondsLeft }
    const { token, idToken, ...issued } = await issueFor(parts, order, claimed.until)
    const granted = splitScopes(family.scope, ' ')
    if (!issued.scopes.every((scope) => granted.includes(scope)))
      throw new TypeError('issueToken returned a scope at a refresh that the login does not have')
    if (isGone()) throw new Error('the client disconnected before its token was refreshed')
    const { issuedAt, expiresAt } = issued
    const owner = { user, client: client.reference, family: id, revocations }
    // Before the pair counts: a crash in between leaves a token that nobody received, and that ends with the family.
    await tokens.keep(token, { ...owner, scopes: issued.scopes, ...target, issuedAt, expiresAt })
    const refreshToken = new Secret(newRefreshToken(id, known.generation + 1, known.secret.reveal()))
    pair = { accessToken: token, refreshToken, idToken, jkt, scopes: issued.scopes, expiresAt }
    return (await families.issued(known, claimed, pair, ofFamily(client, jkt))) ? pair : 'dropped'
  } catch (error) {
    onError(error)
    // After a failure of the store, this may fail too. The claim then lapses.
    const wasIssued = await families.notIssued(known, claimed, pair)
    return pair && wasIssued ? pair : 'failed'
  }
}
