import * as v from 'valibot'
import { INVISIBLE } from './invisible.ts'

/** A non-empty text. */
export const filled = v.custom<string>(isFilled)

/** A text that is safe to show to a user. */
export const visible = v.custom<string>(isVisible)

/** A URL that a user can be sent to. */
export const webAddress = v.pipe(
  visible,
  v.check((text) => /^https?:\/\//i.test(text) && URL.canParse(text)),
)

/** Whether a value is a text that is safe to show to a user. */
export function isVisible(value: unknown): value is string {
  return isFilled(value) && !INVISIBLE.test(value)
}

/** Whether a value is a list of texts. Options and saved records are not checked by types at run time. */
export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string')
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
