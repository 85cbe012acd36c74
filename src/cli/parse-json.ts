import * as v from 'valibot'

/** Parses JSON of this shape. Returns `undefined` for any other text. */
export function parseJson<Schema extends v.GenericSchema>(
  schema: Schema,
  text: string | undefined,
): v.InferOutput<Schema> | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text)
  return parsed.success ? parsed.output : undefined
}
