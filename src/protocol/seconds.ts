import * as v from 'valibot'

/** A number of seconds on the wire: zero or more, as a JSON number or, as form-encoded answers have it, in digits. */
export const seconds = v.pipe(v.unknown(), v.transform(readSeconds), v.custom<number>(Number.isFinite))

/** A whole number of seconds on the wire. */
export const wholeSeconds = v.pipe(
  seconds,
  v.check((value) => Number.isSafeInteger(value)),
)

/** Reads a number of seconds where one that cannot be used counts as absent. */
export function readSeconds(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  return typeof number === 'number' && number >= 0 && number < Number.POSITIVE_INFINITY ? number : undefined
}
