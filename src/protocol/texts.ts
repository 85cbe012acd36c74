import * as v from 'valibot'
import { INVISIBLE } from './invisible.ts'

/** A text that is not empty. */
export const filled = v.custom<string>(isFilled)

/** What may be shown to a user. */
export const visible = v.pipe(
  filled,
  v.check((text) => !INVISIBLE.test(text)),
)

/** What a user may be sent to. */
export const webAddress = v.pipe(
  visible,
  v.check((text) => /^https?:\/\//i.test(text) && URL.canParse(text)),
)

/** Tells a text that is not empty. */
export function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
