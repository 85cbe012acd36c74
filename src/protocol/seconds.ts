import * as v from 'valibot'

/** A number of seconds on the wire: zero or more, as a JSON number or, as form-encoded answers have it, in digits. */
export const seconds = v.pipe(
  v.union([v.number(), v.pipe(v.string(), v.regex(/^\d+$/), v.transform(Number))]),
  v.finite(),
  v.minValue(0),
)

/** A whole number of seconds on the wire. */
export const wholeSeconds = v.pipe(seconds, v.safeInteger())
