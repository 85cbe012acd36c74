import * as v from 'valibot'
import { CommandError } from '../command-error.ts'

/**
 * Reads a record that an earlier command wrote.
 *
 * @param named The record, as the message names it, the profile that it belongs to, and what removes it, where a command
 * does. Nothing of the record is quoted.
 * @throws CommandError `damaged_file`
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
    `${what} of ${profile} cannot be read: it is damaged, or of another version; log in again: ` +
      `authgraph login --profile ${profile}${remove ? `, or remove it: ${remove} --profile ${profile}` : ''}`,
  )
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
