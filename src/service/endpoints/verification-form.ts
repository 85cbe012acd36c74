import type { User } from '../../../machines/device-grant.ts'
import { splitScopes } from '../../protocol/syntax.ts'
import { readUserCode } from '../credentials/random-codes.ts'
import { isUndecided } from '../grants/grants.ts'
import { inTenSeconds } from '../host/hooks.ts'
import { type Assessment, mustType } from '../host/policy.ts'
import { requestOrigin } from '../http/request-origin.ts'
import type { ServiceRequest } from '../http/types.ts'
import type { BrowserSession } from '../page/browser-session.ts'
import type { PageState, Refusal } from '../page/page.ts'
import type { Parts } from '../parts.ts'
import { userId } from '../stores/user-id.ts'

/** The state of the page without what each response adds. */
export type ShownPage = PageState extends infer State
  ? State extends unknown
    ? Omit<State, 'nonce' | 'host' | 'languages'>
    : never
  : never

export interface FormFields {
  /** The URL of the forms: only a path, since the page may be open under another name of the same host. */
  readonly action: string
  /** The code as the user typed it, or as the URL contained it. */
  readonly userCode: string
  readonly csrf?: string | undefined
  readonly decision?: string | undefined
}

interface SentForm {
  readonly request: ServiceRequest
  readonly fields: FormFields
  readonly session: BrowserSession
  readonly user: User
  readonly returnTo: string
}

type Refuse = (reason: Refusal, retryAfter?: number) => Promise<ShownPage>

/** The purpose of a form that the page or a link filled in: who sends it has not typed the code. */
export const LINKED = 'linked'

/** After these, the code is of no use, or its user must type it. */
const DROPS_CODE: ReadonlySet<Refusal> = new Set([
  'missing',
  'expired',
  'decided',
  'opened',
  'linked',
  'policy',
])

/** Processes a form: either a user code to look up, or a decision. */
export async function verificationForm(parts: Parts, sent: SentForm): Promise<ShownPage> {
  const { fields, session, user } = sent
  const { action, csrf, decision } = fields
  const isTyped = await session.isOurs(csrf)
  const refuse: Refuse = async (reason, retryAfter) => {
    const userCode = DROPS_CODE.has(reason) ? '' : fields.userCode
    const purpose = isTyped || userCode === '' ? undefined : LINKED
    return {
      type: 'refused',
      reason,
      action,
      csrf: await session.csrfFor(purpose),
      userCode,
      user: loginOf(user),
      ...(retryAfter !== undefined && { retryAfter }),
    }
  }
  if (decision === 'approve' || decision === 'deny') return decide(parts, sent, decision, refuse)
  if (!isTyped && !(await session.isOurs(csrf, LINKED))) return refuse('forged')
  return lookUp(parts, sent, isTyped, refuse)
}

/** The CSRF token is bound to the code, so only the page that showed this code can send its decision. */
async function decide(
  parts: Parts,
  sent: SentForm,
  decision: 'approve' | 'deny',
  refuse: Refuse,
): Promise<ShownPage> {
  const { request, fields, session, user } = sent
  const userCode = readUserCode(fields.userCode)
  if (userCode === undefined || !(await session.isOurs(fields.csrf, userCode))) return refuse('forged')
  const { grants } = parts
  const viewer = [userId(user), await session.viewer()]
  const assessed = decision === 'approve' ? await assess(parts, sent, userCode) : 'allow'
  if (assessed === 'unknown') return refuse('unknown')
  if (typeof assessed === 'object') return { type: 'stepUp', stepUpAt: assessed.stepUpAt }
  if (assessed === 'refuse') {
    const outcome = await grants.deny(userCode, { by: 'policy', user, request, viewer })
    return refuse(outcome === 'done' ? 'policy' : outcome)
  }
  const decider = { by: 'user', user, request, viewer } as const
  const outcome = await (decision === 'approve'
    ? grants.approve(userCode, user, decider)
    : grants.deny(userCode, decider))
  if (outcome !== 'done') return refuse(outcome)
  return { type: 'done', decision: decision === 'approve' ? 'approved' : 'denied' }
}

/**
 * Asks the policy of the client about an approval.
 *
 * @returns `unknown` for a client that this instance does not know: only another instance has its policy.
 * @throws what the host throws, and an Error if it takes too long or returns anything else than an assessment: nothing is
 *   approved then.
 */
async function assess(
  { clients, grants, emit, clientAddress }: Parts,
  { request, fields, user, returnTo }: SentForm,
  userCode: string,
): Promise<Assessment | 'unknown'> {
  const grant = await grants.find(userCode)
  const known = grant && (await clients.at(grant.client))
  if (!grant || !known) return 'unknown'
  if (!known.policy?.assess) return 'allow'
  const { clientId, name, policy } = known
  const scopes = splitScopes(grant.scope, ' ')
  const { resource, origin: device = {} } = grant
  const approval = {
    device,
    browser: requestOrigin(request, clientAddress(request)),
    user,
    client: { clientId, name },
    scopes,
    ...(resource && { resource }),
    request,
  }
  // A code that must be typed is not accepted from the URL.
  const page = mustType(policy, scopes) ? new URL(fields.action, returnTo).href : returnTo
  const assessed = await inTenSeconds('assess', policy.assess?.(approval, page))
  if (assessed === 'allow' || assessed === 'refuse') return assessed
  if (typeof assessed?.stepUpAt === 'string') {
    const facts = { grant: grant.id, client: grant.client, user, device }
    await emit({ type: 'code.refused', reason: 'stepUp', ...facts }, request)
    return assessed
  }
  throw new TypeError('assess must return "allow", "refuse" or { stepUpAt }')
}

async function lookUp(
  { clients, resources, grants, limiter, emit, clientAddress, clock }: Parts,
  { request, fields: { action, userCode: typed }, session, user }: SentForm,
  isTyped: boolean,
  refuse: Refuse,
): Promise<ShownPage> {
  if (typed === '') return refuse('missing')
  const tried = await limiter.userCode(user, clientAddress(request))
  if (!tried.ok) {
    const { limit, retryAfter, isFirst } = tried
    if (isFirst) await emit({ type: 'limited', limit, retryAfter, user }, request)
    return refuse('limited', retryAfter)
  }

  const userCode = readUserCode(typed)
  const grant = userCode && (await grants.find(userCode))
  const client = grant && (await clients.at(grant.client))
  const resource = grant && resources.of(grant)
  if (!userCode || !grant || !client || resource === 'unknown') {
    await tried.keep()
    return refuse('unknown')
  }
  await tried.undo()
  if (grant.state === 'expired') return refuse('expired')
  if (!isUndecided(grant)) return refuse('decided')
  const scopes = splitScopes(grant.scope, ' ')
  const { id, issuedAt: requestedAt, expiresAt, origin = {} } = grant
  const facts = { grant: id, client: grant.client, user, device: origin }
  if (!isTyped && mustType(client.policy, scopes)) {
    await emit({ type: 'code.refused', reason: 'linked', ...facts }, request)
    return refuse('linked')
  }
  const viewer = client.policy?.claimedBy === 'browser' ? await session.viewer() : userId(user)
  if (!(await grants.open(userCode, viewer))) {
    await emit({ type: 'code.refused', reason: 'opened', ...facts }, request)
    return refuse('opened')
  }
  await emit({ type: 'code.viewed', ...facts }, request)
  return {
    type: 'confirm',
    action,
    csrf: await session.csrfFor(userCode),
    userCode,
    client: client.name,
    ...(client.unverified && { unverified: client.unverified }),
    user: loginOf(user),
    scopes,
    ...(resource && { resource: { uri: resource.uri, name: resource.name } }),
    requestedAt,
    expiresAt,
    now: clock.now(),
    origin,
  }
}

export function loginOf(user: User): string {
  return typeof user === 'string' ? user : user.login
}
