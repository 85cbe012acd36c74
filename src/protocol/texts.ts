import * as v from 'valibot'
import { INVISIBLE } from './invisible.ts'

/** A text that is not empty. */
export const filled = v.custom<string>(isFilled)

/** What may be shown to a user. */
export const visible = v.custom<string>(isVisible)

/** What a user may be sent to. */
export const webAddress = v.pipe(
  visible,
  v.check((text) => /^https?:\/\//i.test(text) && URL.canParse(text)),
)

/** Tells what may be shown to a user. */
export function isVisible(value: unknown): value is string {
  return isFilled(value) && !INVISIBLE.test(value)
}

/** Tells a text that is not empty. */
function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
