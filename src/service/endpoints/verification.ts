import type { User } from '../../../machines/device-grant.ts'
import { VERIFICATION_PATH } from '../../protocol/endpoints.ts'
import type { Clients } from '../clients.ts'
import { type Grants, isUndecided } from '../grants.ts'
import { PAUSE, type ServiceRequest, type ServiceResponse } from '../http.ts'
import type { Limiter } from '../limits.ts'
import type { ServiceOptions } from '../options.ts'
import type { Page, PageState, Refusal } from '../pages/page.ts'
import { newNonce, readUserCode } from '../random-codes.ts'
import { readFields } from '../read-fields.ts'
import { openSession, type Session } from '../session.ts'

/** What the verification page needs. */
export interface VerificationEndpoint {
  readonly clients: Clients
  readonly grants: Grants
  readonly limiter: Limiter
  readonly clientAddress: NonNullable<ServiceOptions['clientAddress']>
  readonly page: Page
  readonly identify: NonNullable<ServiceOptions['identify']>
  readonly onError: (error: unknown) => void
  readonly clock: { now(): number }
  authUrl(): string
}

/** What a page says, before it is made safe to show. */
type Shown = PageState extends infer State ? (State extends unknown ? Omit<State, 'nonce'> : never) : never

/** What a request wants of the page. */
interface Asked {
  /** Where the forms are sent: a path alone, since the page may be open under another name of the same host. */
  readonly action: string
  /** The code as it was typed, or as it came with the address. */
  readonly userCode: string
  readonly csrf?: string | undefined
  readonly decision?: string | undefined
}

/** Characters of the longest code that is looked at. */
const LONGEST_CODE = 32

/** What an address in a header is made of. */
const IN_HEADER = /^[\x21-\x7e]+$/

const STATUS = {
  missing: 400,
  forged: 403,
  unknown: 404,
  decided: 409,
  expired: 410,
  limited: 429,
} satisfies Record<Refusal, number>

/** The page has no use for any of them. */
const PERMISSIONS = ['camera', 'display-capture', 'geolocation', 'microphone', 'payment', 'usb']

/**
 * The page at which the user enters the code, sees who asks for what, and decides. Only POST decides.
 *
 * @see Spec 1, 2.3
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.3 RFC 8628, section 3.3}
 */
export async function verification(
  service: VerificationEndpoint,
  request: ServiceRequest,
): Promise<ServiceResponse> {
  const address = new URL(service.authUrl() + VERIFICATION_PATH)
  const asked = read(request, address.pathname)
  const { shown, headers } = await answer(service, request, asked, address).catch((error: unknown) => {
    service.onError(error)
    const { action, userCode } = asked
    return { shown: { type: 'unavailable', action, userCode, retryAfter: PAUSE } as const, headers: {} }
  })
  // A form may not lead to another site, not by a redirect either: there the page has a link.
  if (shown.type === 'signedOut' && request.method !== 'POST')
    return { status: 303, headers: { location: shown.signInAt, 'cache-control': 'no-store' }, body: '' }
  return respond(service.page, shown, headers)
}

function read(request: ServiceRequest, action: string): Asked {
  const cut = (code = '') => code.slice(0, LONGEST_CODE)
  if (request.method !== 'POST') return { action, userCode: cut(request.query.get('user_code') ?? '') }
  const form = readFields(request, ['csrf', 'user_code', 'decision'])
  const { csrf, user_code, decision } = form.ok ? form.fields : {}
  return { action, userCode: cut(user_code), csrf, decision }
}

async function answer(
  service: VerificationEndpoint,
  request: ServiceRequest,
  asked: Asked,
  address: URL,
): Promise<{ readonly shown: Shown; readonly headers: Session['headers'] }> {
  const returnTo = new URL(address)
  if (asked.userCode !== '') returnTo.searchParams.set('user_code', asked.userCode)
  const identity = await service.identify(request, returnTo.href)
  if ('signInAt' in identity && !IN_HEADER.test(identity.signInAt))
    throw new TypeError('identify gave an address that no header can carry')
  if ('signInAt' in identity)
    return { shown: { type: 'signedOut', signInAt: identity.signInAt }, headers: {} }
  if (!isUser(identity.user)) throw new TypeError('identify must give a user: a name, or { id, login }')
  const session = await openSession(request, identity.user, address.protocol === 'https:')
  const { action, userCode } = asked
  const shown: Shown =
    request.method === 'POST'
      ? await answerForm(service, request, asked, session, identity.user)
      : { type: 'enter', action, csrf: session.csrf, userCode: readUserCode(userCode) ?? userCode }
  return { shown, headers: session.headers }
}

/** The host's own code says who it is: an empty name would approve for nobody. */
function isUser(user: unknown): user is User {
  if (typeof user === 'string') return user !== ''
  const { id, login } = (user ?? {}) as Partial<Exclude<User, string>>
  return (typeof id === 'number' || typeof id === 'string') && typeof login === 'string' && login !== ''
}

async function answerForm(
  service: VerificationEndpoint,
  request: ServiceRequest,
  { action, userCode: typed, csrf, decision }: Asked,
  session: Session,
  user: User,
): Promise<Shown> {
  const { clients, grants, limiter, clock } = service
  const form = { action, csrf: session.csrf, userCode: typed }
  const refuse = (reason: Refusal): Shown => ({ type: 'refused', reason, ...form })

  // A form of another site knows no token of this session, unless it could plant the cookie that the token is made of.
  const site = request.header('sec-fetch-site') ?? 'same-origin'
  if (!session.isOurs(csrf) || site !== 'same-origin') return refuse('forged')
  if (typed === '') return refuse('missing')
  const allowed = await limiter.userCode(session.name, service.clientAddress(request))
  if (!allowed.ok) return { type: 'refused', reason: 'limited', retryAfter: allowed.retryAfter, ...form }

  const grant = await grants.find(typed)
  const client = grant && (await clients.at(grant.client))
  const userCode = readUserCode(typed)
  if (grant === undefined || client === undefined || userCode === undefined) return refuse('unknown')
  await allowed.forgive()
  if (decision === 'approve' || decision === 'deny') {
    const outcome = await (decision === 'approve' ? grants.approve(typed, user) : grants.deny(typed))
    if (outcome !== 'done') return refuse(outcome)
    return { type: 'done', decision: decision === 'approve' ? 'approved' : 'denied' }
  }
  if (grant.state === 'expired') return refuse('expired')
  if (!isUndecided(grant)) return refuse('decided')
  const { scopes, issuedAt: requestedAt, expiresAt, origin = {} } = grant
  return {
    type: 'confirm',
    ...form,
    userCode,
    client: client.name,
    user: typeof user === 'string' ? user : user.login,
    scopes,
    requestedAt,
    expiresAt,
    now: clock.now(),
    origin,
  }
}

/** No script, no frame or window around the page, nothing loaded, and no address of it told to others. */
function respond(page: Page, shown: Shown, headers: Session['headers']): ServiceResponse {
  const nonce = newNonce()
  return {
    status: statusOf(shown),
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': PERMISSIONS.map((name) => `${name}=()`).join(', '),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      ...('retryAfter' in shown && { 'retry-after': String(shown.retryAfter) }),
      ...headers,
    },
    body: page({ ...shown, nonce }),
  }
}

function statusOf(shown: Shown): number {
  if (shown.type === 'refused') return STATUS[shown.reason]
  if (shown.type === 'unavailable') return 503
  return shown.type === 'signedOut' ? 403 : 200
}
