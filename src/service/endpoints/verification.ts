import { VERIFICATION_PATH } from '../../protocol/endpoints.ts'
import type { Clients } from '../clients.ts'
import { type Grant, type Grants, isUndecided } from '../grants.ts'
import type { ServiceRequest, ServiceResponse } from '../http.ts'
import type { Identity, ServiceOptions } from '../options.ts'
import type { Page, PageState, Refusal } from '../pages/page.ts'
import { readFields } from '../read-fields.ts'
import { openSession, type Session } from '../session.ts'

export interface VerificationEndpoint {
  readonly clients: Clients
  readonly grants: Grants
  readonly page: Page
  readonly identify: NonNullable<ServiceOptions['identify']>
  authUrl(): string
}

/** No script, no frame around it, and no address of it told to others. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/**
 * The page at which the user enters the code, sees who asks for what, and decides.
 *
 * @see Spec 1, 2.3
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.3 RFC 8628, section 3.3}
 */
export async function verification(
  service: VerificationEndpoint,
  request: ServiceRequest,
): Promise<ServiceResponse> {
  const identity = await service.identify(request)
  if ('signInAt' in identity) {
    return { status: 303, headers: { location: identity.signInAt, 'cache-control': 'no-store' }, body: '' }
  }
  const session = await openSession(request, service.authUrl())
  const { status, state } =
    request.method === 'POST'
      ? await decide(service, request, session, identity)
      : { status: 200, state: enter(service, session, request.query.get('user_code') ?? '') }
  return { status, headers: { ...HEADERS, ...session.headers }, body: service.page(state) }
}

interface Shown {
  readonly status: number
  readonly state: PageState
}

async function decide(
  service: VerificationEndpoint,
  request: ServiceRequest,
  session: Session,
  { user }: Extract<Identity, { user: unknown }>,
): Promise<Shown> {
  const read = readFields(request)
  const fields = read.ok ? read.fields : new Map<string, string>()
  const typed = fields.get('user_code') ?? ''
  const refuse = (refusal: Refusal, status = 400): Shown => ({
    status,
    state: enter(service, session, typed, refusal),
  })
  // A form of another site knows no token of this session.
  if (!session.isOurs(fields.get('csrf'))) return refuse('forged', 403)
  if (typed === '') return refuse('missing')
  const grant = await service.grants.find(typed)
  if (grant === undefined) return refuse('unknown')
  if (grant.state === 'expired') return refuse('expired')
  if (!isUndecided(grant)) return refuse('decided')
  const decision = fields.get('decision')
  if (decision !== 'approve' && decision !== 'deny')
    return { status: 200, state: await confirm(service, session, grant) }
  const outcome = await (decision === 'approve'
    ? service.grants.approve(typed, user)
    : service.grants.deny(typed))
  if (outcome !== 'done') return refuse(outcome)
  return { status: 200, state: { type: 'done', decision: decision === 'approve' ? 'approved' : 'denied' } }
}

function enter(
  service: VerificationEndpoint,
  { csrf }: Session,
  userCode: string,
  refusal?: Refusal,
): PageState {
  const action = service.authUrl() + VERIFICATION_PATH
  return { type: 'enter', action, csrf, userCode, ...(refusal && { refusal }) }
}

async function confirm(
  service: VerificationEndpoint,
  { csrf }: Session,
  { userCode, scopes, client }: Grant,
): Promise<PageState> {
  const action = service.authUrl() + VERIFICATION_PATH
  const { name = 'An application' } = (await service.clients.byKey(client)) ?? {}
  return { type: 'confirm', action, csrf, userCode, client: name, scopes }
}
