import { VERIFICATION_PATH } from '../../protocol/endpoints.ts'
import type { Clients } from '../clients.ts'
import { type Decision, type Grants, isUndecided } from '../grants.ts'
import type { ServiceRequest, ServiceResponse } from '../http.ts'
import type { Identity, ServiceOptions } from '../options.ts'
import type { Page, PageForm, PageState, Refusal } from '../pages/page.ts'
import { newNonce, readUserCode } from '../random-codes.ts'
import { readFields } from '../read-fields.ts'
import { openSession, type Session } from '../session.ts'

/** What the verification page needs. */
export interface VerificationEndpoint {
  readonly clients: Clients
  readonly grants: Grants
  readonly page: Page
  readonly identify: NonNullable<ServiceOptions['identify']>
  authUrl(): string
}

/** What a page says, before it is made safe to show. */
type Shown = PageState extends infer State ? (State extends unknown ? Omit<State, 'nonce'> : never) : never

const STATUS = {
  missing: 400,
  forged: 403,
  unknown: 404,
  decided: 409,
  expired: 410,
} satisfies Record<Refusal, number>

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
  const address = new URL(service.authUrl() + VERIFICATION_PATH)
  const session = await openSession(request, address.protocol === 'https:')
  // A path alone: the page may be open under another name of the same host.
  const form = { action: address.pathname, csrf: session.csrf }
  const shown: Shown =
    request.method === 'POST'
      ? await answerForm(service, request, { session, form, identity })
      : { type: 'enter', ...form, userCode: request.query.get('user_code') ?? '' }
  return respond(service.page, shown, session)
}

async function answerForm(
  { clients, grants }: VerificationEndpoint,
  request: ServiceRequest,
  {
    session,
    form,
    identity,
  }: {
    readonly session: Session
    readonly form: Pick<PageForm, 'action' | 'csrf'>
    readonly identity: Extract<Identity, { user: unknown }>
  },
): Promise<Shown> {
  const read = readFields(request, ['csrf', 'user_code', 'decision'])
  const { csrf, user_code: typed = '', decision } = read.ok ? read.fields : {}
  const refuse = (reason: Refusal): Shown => ({ type: 'refused', reason, ...form, userCode: typed })

  // A form of another site knows no token of this session.
  if (!session.isOurs(csrf)) return refuse('forged')
  if (typed === '') return refuse('missing')
  if (decision === 'approve') return said('approved', await grants.approve(typed, identity.user), refuse)
  if (decision === 'deny') return said('denied', await grants.deny(typed), refuse)

  const grant = await grants.find(typed)
  const client = grant && (await clients.at(grant.client))
  const userCode = readUserCode(typed)
  if (grant === undefined || client === undefined || userCode === undefined) return refuse('unknown')
  if (grant.state === 'expired') return refuse('expired')
  if (!isUndecided(grant)) return refuse('decided')
  return { type: 'confirm', ...form, userCode, client: client.name, scopes: grant.scopes }
}

function said(decision: 'approved' | 'denied', outcome: Decision, refuse: (reason: Refusal) => Shown): Shown {
  return outcome === 'done' ? { type: 'done', decision } : refuse(outcome)
}

/** No script, no frame around the page, nothing loaded, and no address of it told to others. */
function respond(page: Page, shown: Shown, session: Session): ServiceResponse {
  const nonce = newNonce()
  return {
    status: shown.type === 'refused' ? STATUS[shown.reason] : 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      ...session.headers,
    },
    body: page({ ...shown, nonce }),
  }
}
