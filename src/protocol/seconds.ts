import * as v from 'valibot'

/** A number of seconds: zero or more, as a JSON number or, in form-encoded responses, as digits. */
export const seconds = v.pipe(v.unknown(), v.transform(readSeconds), v.custom<number>(Number.isFinite))

/** A whole number of seconds. Fractions are rounded up, because it is a minimum. */
export const wholeSeconds = v.pipe(
  v.unknown(),
  v.transform(readWholeSeconds),
  v.custom<number>(Number.isFinite),
)

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
