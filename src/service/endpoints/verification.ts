import { VERIFICATION_PATH } from '../../protocol/service-paths.ts'
import { newId, readUserCode } from '../credentials/random-codes.ts'
import { type Identity, inTenSeconds } from '../host/hooks.ts'
import { refuse } from '../host/refused-request.ts'
import { acceptedLanguages } from '../http/accepted-languages.ts'
import { readFields } from '../http/fields.ts'
import { type ServiceRequest, type ServiceResponse, SHORT_WAIT } from '../http/types.ts'
import { type BrowserSession, openBrowserSession } from '../page/browser-session.ts'
import type { Page, PageState, Refusal } from '../page/page.ts'
import type { Parts } from '../parts.ts'
import { isUser } from '../stores/user-id.ts'
import { type FormFields, LINKED, loginOf, type ShownPage, verificationForm } from './verification-form.ts'

/** Characters of the longest code that is read. */
const LONGEST_CODE = 32

const IN_HEADER = /^[\x21-\x7e]+$/

const STATUS = {
  missing: 400,
  forged: 403,
  unknown: 404,
  decided: 409,
  opened: 409,
  linked: 403,
  policy: 403,
  expired: 410,
  limited: 429,
} satisfies Record<Refusal, number>

/** Browser features to disable: the page uses none of them. */
const PERMISSIONS = ['camera', 'display-capture', 'geolocation', 'microphone', 'payment', 'usb']

/**
 * Serves the page on which the user enters the code, reviews the request, and approves or denies it. Only POST decides.
 * RFC 8628, section 3.3.
 */
export async function verification(parts: Parts, request: ServiceRequest): Promise<ServiceResponse> {
  // Metadata may name this page as authorization endpoint. No redirect URI is known: the user sees the error.
  if (request.query.has('response_type'))
    refuse(
      400,
      'unsupported_response_type',
      'this service has no authorization code flow: use the device flow',
    )
  const address = new URL(parts.authUrl() + VERIFICATION_PATH)
  const fields = read(request, address.pathname)
  const { shown, headers } = await response(parts, request, fields, address).catch((error: unknown) => {
    parts.onError(error)
    const { action } = fields
    const userCode = codeToKeep(parts, request, fields)
    return { shown: { type: 'unavailable', action, userCode, retryAfter: SHORT_WAIT } as const, headers: {} }
  })
  // The CSP forbids a form to leave this site, even by a redirect. After a POST, the page shows a link instead.
  if (shown.type === 'signedOut' && request.method !== 'POST')
    return { status: 303, headers: { location: shown.signInAt, 'cache-control': 'no-store' }, body: '' }
  const languages = acceptedLanguages(request.header('accept-language'))
  return respond(parts.page, { ...shown, host: address.host, languages, nonce: newId() }, headers)
}

function read(request: ServiceRequest, action: string): FormFields {
  const cut = (code = '') => code.slice(0, LONGEST_CODE)
  if (request.method !== 'POST') return { action, userCode: cut(request.query.get('user_code') ?? '') }
  const form = readFields(request, ['csrf', 'user_code', 'decision'])
  const { csrf, user_code, decision } = form.ok ? form.fields : {}
  return { action, userCode: cut(user_code), csrf, decision }
}

async function response(
  parts: Parts,
  request: ServiceRequest,
  fields: FormFields,
  address: URL,
): Promise<{ readonly shown: ShownPage; readonly headers: BrowserSession['headers'] }> {
  const back = urlWith(address, codeToKeep(parts, request, fields))
  const returned = await inTenSeconds('identify', parts.identify(request, back))
  const identity: Identity = Object(returned)
  if ('signInAt' in identity && !IN_HEADER.test(identity.signInAt))
    throw new TypeError('identify returned a signInAt that cannot be sent in a header')
  if ('signInAt' in identity)
    return { shown: { type: 'signedOut', signInAt: identity.signInAt }, headers: {} }
  if (!isUser(identity.user))
    throw new TypeError('identify must return { user }, with a name or { id, login }, or { signInAt }')
  const { user } = identity
  const session = openBrowserSession(request, user, await parts.secret(), address)
  const { action, userCode } = fields
  const shown: ShownPage =
    request.method === 'POST'
      ? await verificationForm(parts, {
          request,
          fields,
          session,
          user,
          returnTo: urlWith(address, userCode),
        })
      : {
          type: 'enter',
          action,
          user: loginOf(user),
          csrf: await session.csrfFor(userCode === '' ? undefined : LINKED),
          userCode: readUserCode(userCode) ?? userCode,
        }
  return { shown, headers: session.headers }
}

/**
 * The code to open the page with again. A code from the URL counts as one that came with a link, so a code that was typed is
 * left out if a policy may want that. The grant is not looked up: nobody may be signed in, and guesses would not be limited.
 */
function codeToKeep({ clients }: Parts, { method }: ServiceRequest, { userCode }: FormFields): string {
  return method === 'POST' && clients.mayMustType ? '' : userCode
}

function urlWith(address: URL, userCode: string): string {
  const url = new URL(address)
  if (userCode !== '') url.searchParams.set('user_code', userCode)
  return url.href
}

/**
 * Sends the page with headers that forbid scripts, frames, openers and subresources except images that are data URLs, and hide
 * its URL from other sites.
 * The referrer policy is not `no-referrer`: browsers would then omit the `Origin` of a form.
 */
function respond(page: Page, state: PageState, headers: BrowserSession['headers']): ServiceResponse {
  return {
    status: statusOf(state),
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; style-src 'nonce-${state.nonce}'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': PERMISSIONS.map((name) => `${name}=()`).join(', '),
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      ...('retryAfter' in state && { 'retry-after': String(state.retryAfter) }),
      ...headers,
    },
    body: page(state),
  }
}

function statusOf(state: PageState): number {
  if (state.type === 'refused') return STATUS[state.reason]
  if (state.type === 'unavailable') return 503
  return state.type === 'signedOut' || state.type === 'stepUp' ? 403 : 200
}
