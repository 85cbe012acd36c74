import { DEVICE_GRANT_TYPE } from '../../protocol/endpoints.ts'
import { joinScopes } from '../../protocol/scopes.ts'
import { Secret } from '../../secret.ts'
import type { Clients, KnownClient } from '../clients.ts'
import type { Grant, GrantState, Grants } from '../grants.ts'
import { json, oauthError, type ServiceRequest, type ServiceResponse } from '../http.ts'
import type { ServiceOptions } from '../options.ts'
import { readFields } from '../read-fields.ts'
import type { Tokens } from '../tokens.ts'
import { refuseClient } from './device-code.ts'

export interface AccessTokenEndpoint {
  readonly clients: Clients
  readonly grants: Grants
  readonly tokens: Tokens
  readonly profile: 'github' | 'rfc8628'
  readonly issueToken: NonNullable<ServiceOptions['issueToken']>
  readonly onError: (error: unknown) => void
}

/** What a poll hears, by the state that it leads to. */
const HEARD = {
  requested: pending,
  pending,
  slowed: ({ context: { interval } }, { status }) =>
    oauthError(status, 'slow_down', `wait ${interval} seconds between two polls`, { interval }),
  approved: pending,
  issuing: pending,
  denied: (_, { status }) => oauthError(status, 'access_denied', 'the user denied the request'),
  authorized: (_, habits) => unknownCode(habits),
  expired: (_, { status }) => oauthError(status, 'expired_token', 'the codes have expired: ask for new ones'),
} satisfies Record<GrantState, (grant: Grant, habits: Habits) => ServiceResponse>

/** In what the two profiles differ. */
interface Habits {
  /** The status of an error. No single one pleases every client. */
  readonly status: number
  readonly unknownCode: string
}

const HABITS = {
  github: { status: 200, unknownCode: 'incorrect_device_code' },
  rfc8628: { status: 400, unknownCode: 'invalid_grant' },
} satisfies Record<AccessTokenEndpoint['profile'], Habits>

/**
 * Answers a poll.
 *
 * @see Spec 4.2
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.5 RFC 8628, section 3.5}
 */
export async function accessToken(
  service: AccessTokenEndpoint,
  request: ServiceRequest,
): Promise<ServiceResponse> {
  const habits = HABITS[service.profile]
  const read = readFields(request)
  if (!read.ok) return oauthError(400, 'invalid_request', read.problem)
  const found = await service.clients.of(request, read)
  if (!found.ok) return refusePoll(refuseClient(found, service.profile), habits)
  const grantType = read.fields.get('grant_type')
  if (!grantType) return oauthError(400, 'invalid_request', 'the field grant_type is missing')
  if (grantType !== DEVICE_GRANT_TYPE) {
    return oauthError(habits.status, 'unsupported_grant_type', `grant_type must be ${DEVICE_GRANT_TYPE}`)
  }
  const code = read.fields.get('device_code')
  if (!code) return oauthError(400, 'invalid_request', 'the field device_code is missing')

  const claim = crypto.randomUUID()
  const grant = await service.grants.poll(code, found.client.key, claim)
  if (grant === undefined) return unknownCode(habits)
  if (grant.state === 'issuing' && grant.context.lease?.claim === claim) {
    return deliver(service, { grant, client: found.client, code, claim })
  }
  return HEARD[grant.state](grant, habits)
}

/** The poll that has the lease. */
interface Delivery {
  readonly grant: Grant
  readonly client: KnownClient
  readonly code: string
  readonly claim: string
}

/** Issues the token, as the one poll that may. What goes wrong leaves the approval for the next poll. */
async function deliver(service: AccessTokenEndpoint, delivery: Delivery): Promise<ServiceResponse> {
  const { grants, tokens, issueToken, profile, onError } = service
  const { grant, client, code, claim } = delivery
  const { scopes, context } = grant
  const user = context.user ?? ''
  let token: string
  try {
    const { clientId, name } = client
    token = Secret.of(await issueToken({ user, client: { clientId, name }, scopes })).reveal()
    await tokens.keep(token, { user, client: client.key, scopes }, claim)
  } catch (error) {
    onError(error)
    await grants.settle(code, 'notIssued', claim)
    return pending(grant, HABITS[profile])
  }
  if (!(await isOurs(service, delivery, token))) return pending(grant, HABITS[profile])
  const scope = joinScopes(scopes, profile === 'github' ? ',' : ' ')
  return json(200, { access_token: token, token_type: 'bearer', scope })
}

/** Settles the grant. A token that nobody will receive is forgotten: the lease was lost, or the store is away. */
async function isOurs(
  { grants, tokens }: AccessTokenEndpoint,
  { code, claim }: Delivery,
  token: string,
): Promise<boolean> {
  let settled = false
  try {
    settled = await grants.settle(code, 'issued', claim)
  } finally {
    if (!settled) await tokens.forget(token, claim)
  }
  return settled
}

/** An unknown client is told with status 200 too, where errors are. */
function refusePoll(refusal: ServiceResponse, { status }: Habits): ServiceResponse {
  return refusal.status === 404 ? { ...refusal, status } : refusal
}

function pending(_: Grant, { status }: Habits): ServiceResponse {
  return oauthError(status, 'authorization_pending', 'the user has not yet entered the code')
}

/** Unknown, of another client, or used: the three are not told apart. */
function unknownCode(habits: Habits): ServiceResponse {
  return oauthError(habits.status, habits.unknownCode, 'there is no such device code')
}
