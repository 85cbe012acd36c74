/**
 * Why a code cannot be taken: none was given, there is no such code, it has run out, it was used; or the form was not
 * of this browser.
 *
 * @group Service
 */
export type Refusal = 'missing' | 'unknown' | 'expired' | 'decided' | 'forged'

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
  /** The value of the field `user_code`; as it was typed, before it is known. */
  readonly userCode: string
}

/**
 * What the verification page shows. A form sends the fields `csrf` and `user_code`; the one of `confirm` adds
 * `decision`, which is `approve` or `deny`.
 *
 * @group Service
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.3 RFC 8628, section 3.3}
 */
export type PageState = {
  /** The nonce of a `<style>` element; nothing else but the HTML itself is allowed to be loaded or to run. */
  readonly nonce: string
} /** The user types the code, which may be filled in already. */ & (
  | ({ readonly type: 'enter' } & PageForm)
  /** The user compares the code, sees who asks for what, and decides. */
  | ({ readonly type: 'confirm'; readonly client: string; readonly scopes: readonly string[] } & PageForm)
  | { readonly type: 'done'; readonly decision: 'approved' | 'denied' }
  /** The user reads what was wrong, and may type the code again. */
  | ({ readonly type: 'refused'; readonly reason: Refusal } & PageForm)
)

/**
 * Writes the verification page as HTML. Every value may come from outside: escape it.
 *
 * @group Service
 */
export type Page = (state: PageState) => string
