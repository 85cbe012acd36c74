import * as v from 'valibot'
import { CommandError } from '../command-error.ts'

/**
 * Parses a record that an earlier command saved.
 *
 * @throws {@link CommandError} as {@link damaged} makes it.
 */
export function parseSaved<Schema extends v.GenericSchema>(
  schema: Schema,
  text: string,
  { what, profile, remove }: { readonly what: string; readonly profile: string; readonly remove?: string },
): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, jsonOf(text))
  if (parsed.success) return parsed.output
  throw damaged(what, profile, remove)
}

/**
 * The error of a record that cannot be read. It has the code `damaged_file`, and quotes nothing from the record.
 *
 * @param remove The command that removes the record, if there is one.
 */
export function damaged(what: string, profile: string, remove?: string): CommandError {
  return new CommandError(
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
