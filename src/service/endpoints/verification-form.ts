import type { User } from '../../../machines/device-grant.ts'
import { splitScopes } from '../../protocol/scopes.ts'
import type { Session } from '../browser-session.ts'
import type { Clients } from '../clients.ts'
import { readUserCode } from '../credentials/random-codes.ts'
import { type Grants, isUndecided } from '../grants.ts'
import type { ServiceRequest } from '../http/types.ts'
import type { Limiter } from '../limiter.ts'
import type { ServiceOptions } from '../options.ts'
import type { PageState, Refusal } from '../pages/page.ts'

/** What a form of the verification page needs. */
export interface VerificationForm {
  readonly clients: Clients
  readonly grants: Grants
  readonly limiter: Limiter
  readonly clientAddress: NonNullable<ServiceOptions['clientAddress']>
  readonly clock: { now(): number }
}

/** What a page says, before it is made safe to show. */
export type Shown = PageState extends infer State
  ? State extends unknown
    ? Omit<State, 'nonce'>
    : never
  : never

/** What a request wants of the page. */
export interface Asked {
  /** Where the forms are sent: a path alone, since the page may be open under another name of the same host. */
  readonly action: string
  /** The code as it was typed, or as it came with the address. */
  readonly userCode: string
  readonly csrf?: string | undefined
  readonly decision?: string | undefined
}

/** A form, by whom and from where it was sent. */
interface Sent {
  readonly request: ServiceRequest
  readonly asked: Asked
  readonly session: Session
  readonly user: User
}

/** Reads a form that was sent: one with a code to look up, or one with a decision. */
export async function verificationForm(service: VerificationForm, sent: Sent): Promise<Shown> {
  const { asked, session } = sent
  const form = { action: asked.action, csrf: await session.csrfFor(), userCode: asked.userCode }
  const refuse = (reason: Refusal, retryAfter?: number): Shown => ({
    type: 'refused',
    reason,
    ...form,
    ...(retryAfter !== undefined && { retryAfter }),
  })
  return asked.decision === 'approve' || asked.decision === 'deny'
    ? decide(service, sent, asked.decision, refuse)
    : lookUp(service, sent, refuse)
}

/** The token of the form is made for its code: only the page that asked for this decision can send it. */
async function decide(
  { grants }: VerificationForm,
  { asked, session, user }: Sent,
  decision: 'approve' | 'deny',
  refuse: (reason: Refusal) => Shown,
): Promise<Shown> {
  const userCode = readUserCode(asked.userCode)
  if (userCode === undefined || !(await session.isOurs(asked.csrf, userCode))) return refuse('forged')
  const outcome = await (decision === 'approve' ? grants.approve(userCode, user) : grants.deny(userCode))
  if (outcome !== 'done') return refuse(outcome)
  return { type: 'done', decision: decision === 'approve' ? 'approved' : 'denied' }
}

async function lookUp(
  { clients, grants, limiter, clientAddress, clock }: VerificationForm,
  { request, asked: { action, userCode: typed, csrf }, session, user }: Sent,
  refuse: (reason: Refusal, retryAfter?: number) => Shown,
): Promise<Shown> {
  if (!(await session.isOurs(csrf))) return refuse('forged')
  if (typed === '') return refuse('missing')
  const tried = await limiter.userCode(user, clientAddress(request))
  if (!tried.ok) return refuse('limited', tried.retryAfter)

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
  const { scope, issuedAt: requestedAt, expiresAt, origin = {} } = grant
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
