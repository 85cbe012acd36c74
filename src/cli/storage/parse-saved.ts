import * as v from 'valibot'
import { CommandError } from '../command-error.ts'

/**
 * Parses a record that an earlier command saved.
 *
 * @param named What the error says: the kind of record, its profile and, if there is one, the command that removes it.
 * The error quotes nothing from the record.
 * @throws {@link CommandError} with code `damaged_file`.
 */
export function parseSaved<Schema extends v.GenericSchema>(
  schema: Schema,
  text: string,
  { what, profile, remove }: { readonly what: string; readonly profile: string; readonly remove?: string },
): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, jsonOf(text))
  if (parsed.success) return parsed.output
  throw new CommandError(
    'damaged_file',
    `${what} of ${profile} cannot be read, because it is damaged or from another version: run ` +
      `authgraph login --profile ${profile}${remove ? `, or ${remove} --profile ${profile} to remove it` : ''}`,
  )
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
