import type { Origin, User } from '../../../machines/device-grant.ts'
import { splitScopes } from '../../protocol/syntax.ts'
import { withDeadline } from '../../store/deadline.ts'
import type { Clients } from '../credentials/clients.ts'
import { readUserCode } from '../credentials/random-codes.ts'
import { type Grants, isUndecided } from '../grants/grants.ts'
import type { Emit } from '../host/emit.ts'
import type { ClientAddress } from '../host/hooks.ts'
import { type Assessment, mustType } from '../host/policy.ts'
import { requestOrigin } from '../http/request-origin.ts'
import type { ServiceRequest } from '../http/types.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { Session } from '../page/browser-session.ts'
import type { PageState, Refusal } from '../page/page.ts'
import { userId } from '../stores/user-id.ts'

/** What the forms of the verification page need. */
export interface VerificationForm {
  readonly emit: Emit | undefined
  readonly clients: Clients
  readonly grants: Grants
  readonly limiter: Limiter
  readonly clientAddress: ClientAddress
  readonly clock: { now(): number }
}

/** The state of the page without what each response adds. */
export type Shown = PageState extends infer State
  ? State extends unknown
    ? Omit<State, 'nonce' | 'host' | 'languages'>
    : never
  : never

/** The fields of a request to the page. */
export interface FormFields {
  /** The URL of the forms: only a path, since the page may be open under another name of the same host. */
  readonly action: string
  /** The code as the user typed it, or as the URL contained it. */
  readonly userCode: string
  readonly csrf?: string | undefined
  readonly decision?: string | undefined
}

/** A form, its user and its session. */
interface SentForm {
  readonly request: ServiceRequest
  readonly fields: FormFields
  readonly session: Session
  readonly user: User
  /** The URL of the page with the code. */
  readonly returnTo: string
}

type Refuse = (reason: Refusal, retryAfter?: number) => Promise<Shown>

/** The purpose of a form that the page or a link filled in: who sends it has not typed the code. */
export const LINKED = 'linked'

/** Milliseconds within which `assess` must return. */
const ASSESS_TIMEOUT = 10_000

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
export async function verificationForm(service: VerificationForm, sent: SentForm): Promise<Shown> {
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
  if (decision === 'approve' || decision === 'deny') return decide(service, sent, decision, refuse)
  if (!isTyped && !(await session.isOurs(csrf, LINKED))) return refuse('forged')
  return lookUp(service, sent, isTyped, refuse)
}

/** The CSRF token is bound to the code, so only the page that showed this code can send its decision. */
async function decide(
  service: VerificationForm,
  sent: SentForm,
  decision: 'approve' | 'deny',
  refuse: Refuse,
): Promise<Shown> {
  const { grants, clientAddress } = service
  const { request, fields, session, user } = sent
  const userCode = readUserCode(fields.userCode)
  if (userCode === undefined || !(await session.isOurs(fields.csrf, userCode))) return refuse('forged')
  const origin = requestOrigin(request, clientAddress(request))
  const viewer = [userId(user), await session.viewer()]
  const assessed = decision === 'approve' ? await assess(service, sent, { userCode, origin }) : 'allow'
  if (assessed === 'unknown') return refuse('unknown')
  if (typeof assessed === 'object') return { type: 'stepUp', stepUpAt: assessed.stepUpAt }
  if (assessed === 'refuse') {
    const outcome = await grants.deny(userCode, { by: 'policy', user, origin, viewer })
    return refuse(outcome === 'done' ? 'policy' : outcome)
  }
  const decider = { by: 'user', user, origin, viewer } as const
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
  { clients, grants, emit }: VerificationForm,
  { request, fields, user, returnTo }: SentForm,
  { userCode, origin: browser }: { readonly userCode: string; readonly origin: Origin },
): Promise<Assessment | 'unknown'> {
  const grant = await grants.find(userCode)
  const known = grant && (await clients.at(grant.client))
  if (!grant || !known) return 'unknown'
  if (!known.policy?.assess) return 'allow'
  const { clientId, name, policy } = known
  const scopes = splitScopes(grant.scope, ' ')
  const { origin: device = {} } = grant
  const approval = {
    device,
    browser,
    user,
    client: { clientId, name },
    scopes,
    request,
  }
  // A code that must be typed is not accepted from the URL.
  const page = mustType(policy, scopes) ? new URL(fields.action, returnTo).href : returnTo
  const assessed = await withDeadline(ASSESS_TIMEOUT, policy.assess?.(approval, page), tookTooLong)
  if (assessed === 'allow' || assessed === 'refuse') return assessed
  if (typeof assessed?.stepUpAt === 'string') {
    const facts = { grant: grant.id, client: grant.client, user, device, origin: browser }
    await emit?.({ type: 'code.refused', reason: 'stepUp', ...facts })
    return assessed
  }
  throw new TypeError('assess must return "allow", "refuse" or { stepUpAt }')
}

function tookTooLong(): Error {
  return new Error('assess took longer than ten seconds')
}

async function lookUp(
  { clients, grants, limiter, emit, clientAddress, clock }: VerificationForm,
  { request, fields: { action, userCode: typed }, session, user }: SentForm,
  isTyped: boolean,
  refuse: Refuse,
): Promise<Shown> {
  if (typed === '') return refuse('missing')
  const address = clientAddress(request)
  const browser = requestOrigin(request, address)
  const tried = await limiter.userCode(user, address)
  if (!tried.ok) {
    const { limit, retryAfter, isFirst } = tried
    if (isFirst) await emit?.({ type: 'limited', limit, retryAfter, user, origin: browser })
    return refuse('limited', retryAfter)
  }

  const userCode = readUserCode(typed)
  const grant = userCode && (await grants.find(userCode))
  const client = grant && (await clients.at(grant.client))
  if (!userCode || !grant || !client) {
    await tried.keep()
    return refuse('unknown')
  }
  await tried.undo()
  if (grant.state === 'expired') return refuse('expired')
  if (!isUndecided(grant)) return refuse('decided')
  const scopes = splitScopes(grant.scope, ' ')
  const { id, issuedAt: requestedAt, expiresAt, origin = {} } = grant
  const facts = { grant: id, client: grant.client, user, device: origin, origin: browser }
  if (!isTyped && mustType(client.policy, scopes)) {
    await emit?.({ type: 'code.refused', reason: 'linked', ...facts })
    return refuse('linked')
  }
  const viewer = client.policy?.claimedBy === 'browser' ? await session.viewer() : userId(user)
  if (!(await grants.open(userCode, viewer))) {
    await emit?.({ type: 'code.refused', reason: 'opened', ...facts })
    return refuse('opened')
  }
  await emit?.({ type: 'code.viewed', ...facts })
  return {
    type: 'confirm',
    action,
    csrf: await session.csrfFor(userCode),
    userCode,
    client: client.name,
    user: loginOf(user),
    scopes,
    requestedAt,
    expiresAt,
    now: clock.now(),
    origin,
  }
}

/** The name of a user. */
export function loginOf(user: User): string {
  return typeof user === 'string' ? user : user.login
}
