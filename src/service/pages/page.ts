import type { Origin } from '../../../machines/device-grant.ts'

/**
 * Why a code or a decision is not taken: no code was given, there is no such code, it has run out, it was used, another
 * user opened it first; the form was not made for this browser, this user and this code; there were too many tries.
 *
 * @group Service
 */
export type Refusal = 'missing' | 'unknown' | 'expired' | 'decided' | 'opened' | 'forged' | 'limited'

/**
 * What every form of the page carries back.
 *
 * @group Service
 */
export interface PageForm {
  /** Where the form is sent, by POST. */
  readonly action: string
  /** The value of the hidden field `csrf`. */
  readonly csrf: string
  /** The value of the field `user_code`: at most 32 characters, as they were typed or came with the address. */
  readonly userCode: string
}

/**
 * What the user compares before deciding.
 *
 * @group Service
 */
export interface PageRequest {
  /** The name of the client that asks. */
  readonly client: string
  /**
   * What it asks for: {@link describeScope} knows words for many, {@link isRiskyScope} which to mark. Whoever asked for
   * the codes wrote them: show a scope without words as a name, never as a sentence of the page.
   */
  readonly scopes: readonly string[]
  /** The name of the user who is signed in, and who approves. */
  readonly user: string
  /** When the codes were asked for. Epoch milliseconds. */
  readonly requestedAt: number
  /** Until when the code can be approved. Epoch milliseconds. */
  readonly expiresAt: number
  /** Epoch milliseconds. */
  readonly now: number
  /** Where the codes were asked for, as far as it is known. The user agent is what the device says of itself: show it so. */
  readonly origin: Origin
}

/**
 * What the verification page shows.
 *
 * - `enter`: the user types the code. It may be filled in already: it came with the address then, from whomever, and
 *   the user is asked to compare it with the device.
 * - `confirm`: the user compares the code, sees who asks for what, and decides. The form of this state has two buttons
 *   named `decision`, with the values `approve` and `deny`, which should weigh the same.
 * - `done`: the user has decided.
 * - `refused`: the user reads what was wrong, and may try again. `retryAfter`: seconds to wait, where that is known.
 * - `unavailable`: the service cannot answer. The form is sent by GET, with the field `user_code` alone.
 * - `signedOut`: the user has to sign in again, by a link to `signInAt`.
 *
 * All other forms are sent by POST, with the fields `csrf` and `user_code`.
 *
 * @group Service
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.3 RFC 8628, section 3.3}
 */
export type PageState = {
  /** The nonce of a `<style>` element; nothing else but the HTML itself is allowed to be loaded or to run. */
  readonly nonce: string
} & (
  | ({ readonly type: 'enter' } & PageForm)
  | ({ readonly type: 'confirm' } & PageForm & PageRequest)
  | { readonly type: 'done'; readonly decision: 'approved' | 'denied' }
  | ({ readonly type: 'refused'; readonly reason: Refusal; readonly retryAfter?: number } & PageForm)
  | ({ readonly type: 'unavailable'; readonly retryAfter: number } & Omit<PageForm, 'csrf'>)
  | { readonly type: 'signedOut'; readonly signInAt: string }
)

/**
 * Writes the verification page as HTML.
 *
 * Every text of the state is raw, and most of it comes from outside: whoever asks for codes chooses the scopes and the
 * user agent, whoever sends a link chooses the code. Write each through {@link escapeHtml}, between tags or in quoted
 * attributes. Whatever the page holds, the service forbids scripts, frames and everything loaded. A whole page:
 *
 * ```ts
 * import { escapeHtml, isRiskyScope, type Page } from 'authgraph/service'
 *
 * export const ownPage: Page = (state) => {
 *   const field = (name: string, value: string) =>
 *     `<label>${name} <input name="${name}" value="${escapeHtml(value)}"></label>`
 *   const form = (inside: string) =>
 *     'csrf' in state
 *       ? `<form method="post" action="${escapeHtml(state.action)}">
 *           <input type="hidden" name="csrf" value="${escapeHtml(state.csrf)}">
 *           ${field('user_code', state.userCode)} ${inside}
 *         </form>`
 *       : ''
 *   const body = () => {
 *     switch (state.type) {
 *       case 'enter':
 *         return form('<button>Continue</button>')
 *       case 'confirm': {
 *         const { client, user, scopes, origin, requestedAt } = state
 *         const facts = [
 *           client,
 *           user,
 *           ...scopes.map((scope) => (isRiskyScope(scope) ? `HIGH RISK: ${scope}` : scope)),
 *           origin.address,
 *           `The device says it is "${origin.userAgent ?? ''}"`,
 *           new Date(requestedAt).toISOString(),
 *         ]
 *         return `<ul>${facts.map((fact = 'unknown') => `<li>${escapeHtml(fact)}</li>`).join('')}</ul>
 *           ${form('<button name="decision" value="deny">Deny</button> <button name="decision" value="approve">Approve</button>')}`
 *       }
 *       case 'done':
 *         return `<p>You ${state.decision}. Go back to your device.</p>`
 *       case 'refused':
 *         return `<p>Not taken: ${state.reason}. Wait ${state.retryAfter ?? 0} seconds.</p> ${form('<button>Continue</button>')}`
 *       case 'unavailable':
 *         return `<form action="${escapeHtml(state.action)}">${field('user_code', state.userCode)} <button>Retry</button></form>`
 *       case 'signedOut':
 *         return `<a href="${escapeHtml(state.signInAt)}">Sign in</a>`
 *     }
 *   }
 *   return `<!doctype html><html lang="en"><title>Connect a device</title><h1>Connect a device</h1>${body()}</html>`
 * }
 * ```
 *
 * @group Service
 */
export type Page = (state: PageState) => string
