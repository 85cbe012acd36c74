import * as v from 'valibot'
import { BadResponseError } from '../errors.ts'
import { INVISIBLE } from './syntax.ts'

/**
 * Parses a record with a schema.
 *
 * @param name What an error calls the record; a function is called only for an error.
 * @param Failure The error class. Default: {@link BadResponseError}.
 * @throws `Failure`, naming the invalid fields but quoting nothing: messages of valibot contain what was received.
 */
export function parseFields<Schema extends v.GenericSchema>(
  schema: Schema,
  body: unknown,
  name: string | (() => string),
  Failure: new (message: string) => Error = BadResponseError,
): v.InferOutput<Schema> {
  const { success, output, issues } = v.safeParse(schema, body)
  if (success) return output
  const fields = new Set(issues.flatMap(({ path }) => (path ? [`"${path[0].key}"`] : [])))
  const why = fields.size > 0 ? `has no valid ${[...fields].join(', ')}` : 'is not a JSON object'
  throw new Failure(`the ${typeof name === 'string' ? name : name()} ${why}`)
}

/** A number that JSON can hold. */
export const finite = v.custom<number>(isNumber)

/** As a function of its own: bundlers keep what reads a property of a global. */
function isNumber(value: unknown): boolean {
  return Number.isFinite(value)
}

/** Whether a value is a number from `least` to `most`. Of valibot's own checks, each would be in every bundle. */
export function isBetween(value: unknown, least: number, most = Number.POSITIVE_INFINITY): boolean {
  return Number.isFinite(value) && Number(value) >= least && Number(value) <= most
}

export const filled = v.custom<string>(isFilled)

/** A text that is safe to show to a user. */
export const visible = v.custom<string>(isVisible)

/** A URL that a user can be sent to. */
export const webAddress = v.custom<string>(
  (value) => isVisible(value) && /^https?:\/\//i.test(value) && URL.canParse(value),
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

/** A number of seconds: zero or more, as a JSON number or, in form-encoded responses, as digits. */
export const seconds = v.pipe(v.unknown(), v.transform(readSeconds), v.custom<number>(isNumber))

/** A whole number of seconds. Fractions are rounded up, because it is a minimum. */
export const wholeSeconds = v.pipe(v.unknown(), v.transform(readWholeSeconds), v.custom<number>(isNumber))

/** Parses a number of seconds; an invalid one counts as absent. */
export function readSeconds(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value
  return typeof number === 'number' && number >= 0 && number < Number.POSITIVE_INFINITY ? number : undefined
}

/** Parses a whole number of seconds as `readSeconds` does, rounded up. */
export function readWholeSeconds(value: unknown): number | undefined {
  const whole = Math.ceil(readSeconds(value) ?? Number.NaN)
  return Number.isSafeInteger(whole) ? whole : undefined
}
