import * as v from 'valibot'
import { BadResponseError } from '../errors.ts'

/**
 * Reads a record by its schema.
 *
 * @param name What the record is called in an error.
 * @param Failure BadResponseError by default.
 * @throws Failure that names the fields at fault and quotes nothing: valibot's own messages hold what was received.
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
