import * as v from 'valibot'

/** A number of seconds on the wire: zero or more, as a JSON number or, as form-encoded answers have it, in digits. */
export const seconds = v.pipe(v.unknown(), v.transform(readSeconds), v.custom<number>(Number.isFinite))

/** A whole number of seconds on the wire: the least number of them, so that a fraction is rounded up. */
export const wholeSeconds = v.pipe(
  v.unknown(),
  v.transform(readWholeSeconds),
  v.custom<number>(Number.isFinite),
)

/** Reads a number of seconds where one that cannot be used counts as absent. */
export function readSeconds(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value
  return typeof number === 'number' && number >= 0 && number < Number.POSITIVE_INFINITY ? number : undefined
}

/** Reads the least number of seconds, as `readSeconds` does; a fraction is rounded up. */
export function readWholeSeconds(value: unknown): number | undefined {
  const whole = Math.ceil(readSeconds(value) ?? Number.NaN)
  return Number.isSafeInteger(whole) ? whole : undefined
}
