import type { Origin } from '../../../machines/device-grant.ts'

/**
 * Why a code or a decision was refused:
 *
 * - `missing`: no code was entered
 * - `unknown`: the code does not exist
 * - `expired`: the code has expired
 * - `decided`: the code was already approved or denied
 * - `opened`: another user or, by policy, another browser opened the code first
 * - `linked`: the code came with a link, and the policy wants it typed
 * - `policy`: the policy refused the approval, and the device gets `access_denied`
 * - `forged`: the form was not made for this browser, user and code
 * - `limited`: there were too many attempts
 */
export type Refusal =
  | 'missing'
  | 'unknown'
  | 'expired'
  | 'decided'
  | 'opened'
  | 'linked'
  | 'policy'
  | 'forged'
  | 'limited'

/** The fields of a form of the page. */
export interface PageForm {
  /** The URL to which the form is sent, by POST. */
  readonly action: string
  /** The value of the hidden field `csrf`. */
  readonly csrf: string
  /**
   * The value of the field `user_code`: at most 32 characters, as the user typed them or the URL contained them. Empty if the
   * user must type a code.
   */
  readonly userCode: string
  /** The name of the signed-in user. */
  readonly user: string
}

/** What the user reviews before deciding. */
export interface PageRequest {
  /** The name of the client. */
  readonly client: string
  /**
   * Set if nobody at the service has checked the name: the client registered itself, or `host` publishes it. Show the name as
   * a claim, with the host.
   */
  readonly unverified?: { readonly host?: string }
  /**
   * The requested scopes. {@link describeScope} describes well-known ones, and {@link isRiskyScope} tells which ones to
   * mark. An attacker can request any scope: show one without a description as a name, never as a sentence of the page.
   */
  readonly scopes: readonly string[]
  /** The API that the device wants to use, one of `resources`. Absent if it named none. */
  readonly resource?: { readonly uri: string; readonly name: string }
  /** When the codes were requested. Epoch milliseconds. */
  readonly requestedAt: number
  /** When the code expires. Epoch milliseconds. */
  readonly expiresAt: number
  /** The current time. Epoch milliseconds. */
  readonly now: number
  /** Where the codes were requested, if known. The device chooses its user agent: show it as a claim. */
  readonly origin: Origin
}

/**
 * What the verification page shows.
 *
 * - `enter`: the user enters the code. If `userCode` is set, it comes from the URL, and anyone can send a URL: ask the
 *   user to compare it with the device.
 * - `confirm`: the user compares the code, reviews the request, and decides. The form has two buttons named `decision`
 *   with the values `approve` and `deny`. Give both the same weight.
 * - `done`: the user has decided.
 * - `refused`: the page says what was wrong, and the user may try again, after `retryAfter` seconds if given.
 * - `unavailable`: the service is not available; retry after `retryAfter` seconds. The form is sent by GET, with the
 *   field `user_code` only, or without fields if `userCode` is empty: a code in the URL counts as a link.
 * - `signedOut`: the user must sign in again. Link to `signInAt`.
 * - `stepUp`: the policy wants more proof of who the user is before the approval counts. Link to `stepUpAt`.
 *
 * All other forms are sent by POST with the fields `csrf` and `user_code`.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.3 RFC 8628, section 3.3}
 */
export type PageState = {
  /** The nonce for a `<style>` element. The page cannot load or run anything, and its images are data URLs. */
  readonly nonce: string
  /** The host of `authUrl`, such as `login.example.com`: show it, so that the user can compare it with the address bar. */
  readonly host: string
  /** The languages that the user prefers, the most preferred first, as tags such as `de-AT`. May be empty. */
  readonly languages: readonly string[]
} & (
  | ({ readonly type: 'enter' } & PageForm)
  | ({ readonly type: 'confirm' } & PageForm & PageRequest)
  | { readonly type: 'done'; readonly decision: 'approved' | 'denied' }
  | ({ readonly type: 'refused'; readonly reason: Refusal; readonly retryAfter?: number } & PageForm)
  | ({ readonly type: 'unavailable'; readonly retryAfter: number } & Pick<PageForm, 'action' | 'userCode'>)
  | { readonly type: 'signedOut'; readonly signInAt: string }
  | { readonly type: 'stepUp'; readonly stepUpAt: string }
)

/**
 * Renders the verification page as HTML.
 *
 * The texts of the state are not escaped, and attackers control some of them: the scopes, the user agent and the code.
 * Pass each one through {@link escapeHtml}, between tags or in quoted attributes. The service sends headers that forbid
 * scripts, frames and subresources. `docs/extend/page.md` has a complete example.
 */
export type Page = (state: PageState) => string
