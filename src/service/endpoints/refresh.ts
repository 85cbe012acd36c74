import { splitScopes } from '../../protocol/syntax.ts'
import { Secret } from '../../secret.ts'
import type { KnownClient } from '../credentials/clients.ts'
import { newClaim, newRefreshToken } from '../credentials/random-codes.ts'
import type { DialectRules } from '../grants/dialect.ts'
import { readScopes } from '../grants/read-scopes.ts'
import type { Revocations } from '../grants/revocations.ts'
import type { IssueToken } from '../host/hooks.ts'
import { requestOrigin } from '../http/request-origin.ts'
import { oauthError, type ServiceRequest, type ServiceResponse, unavailable } from '../http/types.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { Families, KnownToken, RefreshTokens } from '../tokens/families.ts'
import type { HeldRefreshes } from '../tokens/held-refreshes.ts'
import { accessLifetime, issueFor } from '../tokens/issued-token.ts'
import type { TokenPair } from '../tokens/successors.ts'
import type { Tokens } from '../tokens/tokens.ts'
import { type LimitedEndpoint, refuseLimited } from './refuse-limited.ts'
import { secondsUntil, tokenResponse } from './token-response.ts'

/** Where the errors of a refresh are explained. */
const ERRORS = { error_uri: 'https://www.rfc-editor.org/rfc/rfc6749.html#section-5.2' }

/** What a refresh needs. */
export interface RefreshEndpoint extends LimitedEndpoint {
  readonly families: Families
  readonly tokens: Tokens
  readonly revocations: Revocations
  readonly limiter: Limiter
  readonly heldRefreshes: HeldRefreshes
  readonly dialect: DialectRules
  readonly issueToken: IssueToken
  /** `undefined` if no refresh tokens are issued. */
  readonly refreshTokens: (RefreshTokens & { readonly reuseWindow: number }) | undefined
  readonly onError: (error: unknown) => void
  readonly clock: { now(): number }
}

/** A request of a client that is known. */
export interface RefreshRequest {
  readonly request: ServiceRequest
  readonly client: KnownClient
  /** The fields `refresh_token` and `scope`. */
  readonly refreshToken: string
  readonly scope: string | undefined
}

/**
 * Responds to a refresh. A request that comes while another one spends the same token is held until that one has its
 * pair, and gets the same; it is never refused.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749.html#section-6 RFC 6749, section 6}
 */
export async function refresh(
  service: RefreshEndpoint,
  { request, client, refreshToken, scope }: RefreshRequest,
): Promise<ServiceResponse> {
  const { families, revocations, limiter, heldRefreshes, emit, clientAddress, dialect, clock } = service
  const refused = oauthError(
    dialect.pollError,
    dialect.badRefreshToken,
    'the refresh token is not valid',
    ERRORS,
  )
  const known = await families.find(new Secret(refreshToken))
  if (known === undefined) {
    const allowed = await limiter.wrongDeviceCode(clientAddress(request))
    return allowed.ok ? refused : refuseLimited(service, request, allowed, { client: client.reference })
  }
  const { family, id } = known
  const { user } = family
  if (family.client !== client.reference) return refused
  if ((await revocations.count(user)) !== family.revocations) return refused
  const granted = splitScopes(family.scope, ' ').filter((name) => client.scopes?.includes(name) ?? true)
  const requested = scope === undefined ? undefined : readScopes(scope, granted)
  if (requested?.ok === false) return oauthError(400, 'invalid_scope', requested.problem, ERRORS)

  const deliver = ({ accessToken, refreshToken, scopes, expiresAt }: TokenPair) =>
    tokenResponse(dialect, {
      token: accessToken,
      scopes,
      expiresIn: secondsUntil(expiresAt, clock.now()),
      refresh: { token: refreshToken, expiresIn: secondsUntil(family.expiresAt, clock.now()) },
    })
  const facts = () => ({
    family: id,
    user,
    client: client.reference,
    origin: requestOrigin(request, clientAddress(request)),
  })
  const hold = heldRefreshes.hold(known.hash)
  let held = false
  try {
    while (!hold.isOver() && !request.isGone()) {
      const claim = newClaim()
      const look = () => families.refresh(known, claim, held)
      const refreshed = await (held ? hold.look(look) : look())
      switch (refreshed.type) {
        case 'mine': {
          if (refreshed.claim !== claim) {
            await hold.wait()
            break
          }
          const allowed = await limiter.refresh(id, clientAddress(request))
          if (!allowed.ok) {
            await families.notIssued(known, claim)
            return refuseLimited(service, request, allowed, { client: client.reference, family: id })
          }
          const { until } = refreshed
          const order = {
            known,
            client,
            claim,
            until,
            scopes: requested?.scopes.length ? requested.scopes : granted,
          }
          const pair = await heldRefreshes.spend(known.hash, () => issue(service, request, order))
          if (pair === 'failed') return unavailable()
          if (pair === 'dropped') break
          await emit?.({ type: 'token.refreshed', ...facts(), scopes: pair.scopes, replayed: false })
          return deliver(pair)
        }
        case 'held':
          await hold.wait()
          break
        case 'replay':
          if (!held)
            await emit?.({
              type: 'token.refreshed',
              ...facts(),
              scopes: refreshed.pair.scopes,
              replayed: true,
            })
          return deliver(refreshed.pair)
        case 'busy':
          return unavailable()
        case 'reuse':
          await emit?.({ type: 'reuse.detected', ...facts() })
          return refused
        case 'refused':
          return refused
      }
      held = true
    }
  } finally {
    hold.end()
  }
  return unavailable()
}

/** The pair to issue, under a claim until a point in time (epoch milliseconds). */
interface Order {
  readonly known: KnownToken
  readonly client: KnownClient
  readonly claim: string
  readonly until: number
  readonly scopes: readonly string[]
}

/**
 * Issues the next pair. Returns `failed` if the host failed or the client has disconnected: the refresh token is free
 * again; and `dropped` if another request has taken the claim, or the family has ended.
 */
async function issue(
  { families, tokens, issueToken, onError, clock }: RefreshEndpoint,
  { isGone }: ServiceRequest,
  { known, client, claim, until, scopes }: Order,
): Promise<TokenPair | 'failed' | 'dropped'> {
  const { id, family } = known
  const { user, revocations } = family
  let pair: TokenPair | undefined
  try {
    const issued = await issueFor({ issueToken, clock }, { user, client, scopes, family: id }, until)
    const granted = splitScopes(family.scope, ' ')
    if (!issued.scopes.every((scope) => granted.includes(scope)))
      throw new TypeError('issueToken returned a scope at a refresh that the login does not have')
    if (isGone()) throw new Error('the client disconnected before its token was refreshed')
    const lifetime = accessLifetime(issued.expiresIn, secondsUntil(family.expiresAt, clock.now()))
    const expiresAt = clock.now() + lifetime * 1000
    const record = { user, scopes: issued.scopes, client: client.reference, family: id, revocations }
    // Before the pair counts: a crash in between leaves a token that nobody received, and that ends with the family.
    await tokens.keep(issued.token, record, expiresAt)
    pair = {
      accessToken: issued.token,
      refreshToken: new Secret(newRefreshToken(id, known.generation + 1, known.secret.reveal())),
      scopes: issued.scopes,
      expiresAt,
    }
    return (await families.issued(known, claim, pair)) ? pair : 'dropped'
  } catch (error) {
    onError(error)
    // After a failure of the store, this may fail too. The claim then lapses.
    const wasIssued = await families.notIssued(known, claim, pair)
    return pair && wasIssued ? pair : 'failed'
  }
}
