import type { DeviceGrantState } from '../../../machines/device-grant.ts'
import { splitScopes } from '../../protocol/syntax.ts'
import { Secret } from '../../secret.ts'
import type { FoundClient } from '../credentials/clients.ts'
import { newId, newRefreshToken } from '../credentials/random-codes.ts'
import type { Grant } from '../grants/grant-steps.ts'
import { grantId } from '../grants/grants.ts'
import { type ServiceRequest, type ServiceResponse, unavailable } from '../http/types.ts'
import type { Parts } from '../parts.ts'
import { ofFamily } from '../tokens/families.ts'
import { type FirstToken, openFirst, sealFirst } from '../tokens/first-tokens.ts'
import { issueFor, secondsUntil } from '../tokens/issued-token.ts'
import { tokenResponse } from './token-response.ts'

interface ApprovedPoll extends FoundClient {
  readonly grant: Grant
  readonly key: string
  readonly deviceCode: string
  readonly request: ServiceRequest
}

/** The response with the token, or the state of a grant that polls as this one does without it. */
type Delivered = ServiceResponse | DeviceGrantState

/**
 * Issues the token for the poll that holds the claim. The update that settles the grant stores the token too, sealed with
 * the device code: each poll in the delivery window gets it, whatever happens to this one. Before that update, nothing of
 * the login is stored, and the next poll may issue another token once the claim has lapsed. If the host fails, the device is
 * asked to retry: the grant stays approved.
 *
 * A grant from before a set-back of the store counts as expired: its token may have been delivered in the lost time.
 */
export async function issueFirst(parts: Parts, poll: ApprovedPoll, claim: string): Promise<Delivered> {
  const { grants, generation, revocations, refreshTokens, onError } = parts
  const { grant, client, sentSecret, key, deviceCode } = poll
  const { user, scope, resource, jkt } = grant
  if (user === null || grant.claim === null) throw new TypeError('the grant has no user or no claim')
  const [counted, isInDoubt] = await Promise.all([revocations.count(user), generation.isInDoubt(grant)])
  // All tokens of the user may have been revoked after the approval.
  if (isInDoubt || grant.revocations !== counted) {
    await grants.notIssued(key, claim)
    return isInDoubt ? 'expired' : 'denied'
  }
  const family = refreshTokens && { id: newId(), ...refreshTokens }
  let issued: Awaited<ReturnType<typeof issueFor>>
  try {
    const order = {
      user,
      client,
      scopes: splitScopes(scope, ' '),
      ...(resource && { resource }),
      ...(jkt && { jkt }),
      ...(family && { family: family.id }),
      secondsLeft: family && (() => family.lifetime),
    }
    issued = await issueFor(parts, order, grant.claim.until)
  } catch (error) {
    onError(error)
    await grants.notIssued(key, claim)
    return unavailable()
  }
  const { token, idToken, scopes, issuedAt, expiresAt, tellsExpiry } = issued
  const first: FirstToken = {
    accessToken: token,
    idToken,
    scopes,
    issuedAt,
    expiresAt,
    tellsExpiry,
    needsSecret: sentSecret,
    family: family && {
      id: family.id,
      refreshToken: new Secret(newRefreshToken(family.id, 0)),
      expiresAt: issuedAt + family.lifetime * 1000,
      reuseWindow: family.reuseWindow,
    },
  }
  const sealed = await sealFirst(deviceCode, first, grantId(key))
  const settled = await grants.issued(key, claim, sealed)
  // The claim has lapsed and another poll has taken it: drop this token.
  if (settled === undefined) return 'approved'
  generation.advance()
  return deliver(parts, { ...poll, grant: settled }, { first, counted, now: issuedAt, replayed: false })
}

/**
 * Delivers the token again, unless it has expired, was used, or was revoked, or the secret is missing that came with the
 * first poll: whoever polls then already has it, or must not get it.
 */
export async function deliverAgain(parts: Parts, poll: ApprovedPoll): Promise<Delivered> {
  const { grant, sentSecret, key, deviceCode } = poll
  const { user, delivery } = grant
  if (user === null || delivery === null) return 'authorized'
  const first = await openFirst(deviceCode, delivery.sealed, grantId(key))
  if (first.needsSecret && !sentSecret) return 'authorized'
  const now = parts.clock.now()
  const counted = await parts.revocations.count(user)
  if (now >= first.expiresAt || grant.revocations !== counted) return 'authorized'
  return deliver(parts, poll, { first, counted, now, replayed: true })
}

interface Delivery {
  readonly first: FirstToken
  /** How often all tokens of the user have been revoked. */
  readonly counted: number
  readonly now: number
  readonly replayed: boolean
}

/** Stores what an earlier delivery may not have stored, and responds. */
async function deliver(
  parts: Parts,
  { grant: { user, resource, jkt, delivery }, client, key, request }: ApprovedPoll,
  { first, counted, now, replayed }: Delivery,
): Promise<Delivered> {
  const { tokens, families, logins, registered, emit, dialect, onError } = parts
  const { accessToken, idToken, scopes, issuedAt, expiresAt, tellsExpiry, family } = first
  if (user === null || delivery === null) throw new TypeError('the grant has no user or no delivery')
  const grant = grantId(key)
  const owner = { user, client: client.reference }
  const target = resource ? { resource } : {}
  const access = { ...owner, scopes, ...target }
  const record = {
    ...access,
    ...(jkt && { jkt }),
    issuedAt,
    expiresAt,
    revocations: counted,
    ...(family ? { family: family.id } : { grant }),
  }
  // First: the host may have issued this token to a login before, which must not lose it to a family that does not exist.
  if (family) {
    const { id, refreshToken, expiresAt, reuseWindow } = family
    const input = { ...owner, scope: scopes.join(' '), expiresAt, reuseWindow }
    const kept = { id, revocations: counted, ...target, ...ofFamily(client, jkt) }
    if (!(await families.begin(refreshToken, kept, issuedAt, input))) return 'authorized'
  }
  const kept = await tokens.deliver(accessToken, record, {
    changedAt: issuedAt,
    until: delivery.until,
    expiresAt,
  })
  if (kept === undefined) return 'authorized'
  const login = family?.id ?? kept.hash
  const endsAt = family?.expiresAt ?? expiresAt
  if (login) await logins.add(user, login, endsAt).catch(onError)
  if (client.unverified) await registered?.keep(client.reference, endsAt).catch(onError)
  const issued = { type: 'token.issued', grant, ...access, replayed } as const
  await emit({ ...issued, ...(family && { family: family.id }) }, request)
  return tokenResponse(dialect, {
    token: accessToken,
    jkt,
    idToken,
    scopes,
    expiresIn: tellsExpiry ? secondsUntil(expiresAt, now) : undefined,
    refresh: family && { token: family.refreshToken, expiresIn: secondsUntil(family.expiresAt, now) },
  })
}
