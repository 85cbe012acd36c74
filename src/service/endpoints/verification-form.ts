import type { User } from '../../../machines/device-grant.ts'
import { splitScopes } from '../../protocol/scopes.ts'
import type { Session } from '../browser-session.ts'
import type { Clients } from '../clients.ts'
import { readUserCode } from '../credentials/random-codes.ts'
import type { Emit } from '../emit.ts'
import { type Grants, isUndecided } from '../grants.ts'
import type { ServiceRequest } from '../http/types.ts'
import type { Limiter } from '../limiter.ts'
import type { ServiceOptions } from '../options.ts'
import type { PageState, Refusal } from '../pages/page.ts'
import { requestOrigin } from '../request-origin.ts'

/** What the forms of the verification page need. */
export interface VerificationForm {
  readonly emit: Emit | undefined
  readonly clients: Clients
  readonly grants: Grants
  readonly limiter: Limiter
  readonly clientAddress: NonNullable<ServiceOptions['clientAddress']>
  readonly clock: { now(): number }
}

/** The state of the page without its nonce. */
export type Shown = PageState extends infer State
  ? State extends unknown
    ? Omit<State, 'nonce'>
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
}

/** Processes a form: either a user code to look up, or a decision. */
export async function verificationForm(service: VerificationForm, sent: SentForm): Promise<Shown> {
  const { fields, session } = sent
  const form = { action: fields.action, csrf: await session.csrfFor(), userCode: fields.userCode }
  const refuse = (reason: Refusal, retryAfter?: number): Shown => ({
    type: 'refused',
    reason,
    ...form,
    ...(retryAfter !== undefined && { retryAfter }),
  })
  return fields.decision === 'approve' || fields.decision === 'deny'
    ? decide(service, sent, fields.decision, refuse)
    : lookUp(service, sent, refuse)
}

/** The CSRF token is bound to the code, so only the page that showed this code can send its decision. */
async function decide(
  { grants, clientAddress }: VerificationForm,
  { request, fields, session, user }: SentForm,
  decision: 'approve' | 'deny',
  refuse: (reason: Refusal) => Shown,
): Promise<Shown> {
  const userCode = readUserCode(fields.userCode)
  if (userCode === undefined || !(await session.isOurs(fields.csrf, userCode))) return refuse('forged')
  const decider = { by: 'user', user, origin: requestOrigin(request, clientAddress(request)) } as const
  const outcome = await (decision === 'approve'
    ? grants.approve(userCode, user, decider)
    : grants.deny(userCode, decider))
  if (outcome !== 'done') return refuse(outcome)
  return { type: 'done', decision: decision === 'approve' ? 'approved' : 'denied' }
}

async function lookUp(
  { clients, grants, limiter, emit, clientAddress, clock }: VerificationForm,
  { request, fields: { action, userCode: typed, csrf }, session, user }: SentForm,
  refuse: (reason: Refusal, retryAfter?: number) => Shown,
): Promise<Shown> {
  if (!(await session.isOurs(csrf))) return refuse('forged')
  if (typed === '') return refuse('missing')
  const address = clientAddress(request)
  const browser = requestOrigin(request, address)
  const tried = await limiter.userCode(user, address)
  if (!tried.ok) {
    const { limit, retryAfter } = tried
    await emit?.({ type: 'limited', limit, retryAfter, user, origin: browser })
    return refuse('limited', retryAfter)
  }

  const userCode = readUserCode(typed)
  const grant = userCode && (await grants.find(userCode))
  const client = grant && (await clients.at(grant.client))
  if (!userCode || !grant || !client) {
    await tried.wrong()
    return refuse('unknown')
  }
  await tried.right()
  if (grant.state === 'expired') return refuse('expired')
  if (!isUndecided(grant)) return refuse('decided')
  if (!(await grants.open(userCode, grant, user))) return refuse('opened')
  const { id, scope, issuedAt: requestedAt, expiresAt, origin = {} } = grant
  await emit?.({
    type: 'code.viewed',
    grant: id,
    client: grant.client,
    user,
    device: origin,
    origin: browser,
  })
  return {
    type: 'confirm',
    action,
    csrf: await session.csrfFor(userCode),
    userCode,
    client: client.name,
    user: typeof user === 'string' ? user : user.login,
    scopes: splitScopes(scope, ' '),
    requestedAt,
    expiresAt,
    now: clock.now(),
    origin,
  }
}
