import type { Secret } from '../secret.ts'

/**
 * One form of client authentication. A sixth form is one more file that gives such an object.
 *
 * An implementation is a class whose fields are private, but for what debug output may show.
 *
 * @group Client authentication
 * @see Spec 2.1, 5
 */
export interface Auth {
  readonly form: string
  /** Makes the value of the header `Authorization`, afresh for every request; `undefined` for no header. */
  authorization(): Secret | undefined | Promise<Secret | undefined>
  /** Learns from a refusal. True where one more try, with a new header, may succeed. What it throws ends the request. */
  learn?(refusal: Response): boolean
}
