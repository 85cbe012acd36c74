/** Why a code cannot be taken, or a request cannot be answered. */
export type Refusal = 'missing' | 'unknown' | 'expired' | 'decided' | 'forged'

/** What every form of the page carries back. */
interface Form {
  /** Where the form is sent, by POST. */
  readonly action: string
  /** The value of the hidden field `csrf`. */
  readonly csrf: string
  /** The value of the field `user_code`. */
  readonly userCode: string
}

/**
 * What the verification page shows. A form sends the fields `csrf` and `user_code`; the one of `confirm` adds
 * `decision`, which is `approve` or `deny`.
 *
 * @group Service
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.3 RFC 8628, section 3.3}
 */
export type PageState =
  /** The user types the code. `userCode` may be filled in already, and `refusal` says what was wrong with the last one. */
  | ({ readonly type: 'enter'; readonly refusal?: Refusal } & Form)
  /** The user compares the code, sees who asks for what, and decides. */
  | ({ readonly type: 'confirm'; readonly client: string; readonly scopes: readonly string[] } & Form)
  | { readonly type: 'done'; readonly decision: 'approved' | 'denied' }

/**
 * Writes the verification page as HTML. Every value may come from outside: escape it.
 *
 * @group Service
 */
export type Page = (state: PageState) => string
