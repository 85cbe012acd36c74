import * as v from 'valibot'
import { BadResponseError } from '../errors.ts'

/**
 * Parses a record with a schema.
 *
 * @param name What an error calls the record.
 * @param Failure The error class. Default: {@link BadResponseError}.
 * @throws `Failure`, naming the invalid fields but quoting nothing: messages of valibot contain what was received.
 */
export function parseFields<Schema extends v.GenericSchema>(
  schema: Schema,
  body: unknown,
  name: string,
  Failure: new (message: string) => Error = BadResponseError,
): v.InferOutput<Schema> {
  const { success, output, issues } = v.safeParse(schema, body)
  if (success) return output
  const fields = new Set(issues.flatMap(({ path }) => (path ? [`"${path[0].key}"`] : [])))
  const why = fields.size > 0 ? `has no valid ${[...fields].join(', ')}` : 'is not a JSON object'
  throw new Failure(`the ${name} ${why}`)
}
