import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as v from 'valibot'
import { CommandError } from '../command-error.ts'
import { parseJson } from '../parse-json.ts'
import { readIfThere, unusable } from './private-file.ts'

const NAME = '.authgraph.json'

/** Names only: nothing in it is secret, and nothing in it says where to send a token. */
const file = v.strictObject({ profile: v.string(), host: v.string() })

/** The login that a folder selects. */
export interface DirectoryProfile {
  readonly path: string
  readonly profile: string
  /** The host that the login must belong to. */
  readonly host: string
}

/**
 * Finds the login that the working directory selects, or the nearest folder above it.
 *
 * @throws {@link CommandError} with code `damaged_file`.
 */
export function directoryProfile(folder = process.cwd()): DirectoryProfile | undefined {
  const path = join(folder, NAME)
  const text = readIfThere(path)
  if (text === undefined) {
    const above = dirname(folder)
    return above === folder ? undefined : directoryProfile(above)
  }
  const selected = parseJson(file, text)
  if (selected) return { path, ...selected }
  throw new CommandError(
    'damaged_file',
    `${path} must contain "profile" and "host", and nothing else: correct it, or delete it`,
  )
}

/** Selects a login for the working directory and all folders below. Returns the path of the file. */
export function selectHere(profile: string, host: string): string {
  const path = join(process.cwd(), NAME)
  try {
    writeFileSync(path, `${JSON.stringify({ profile, host }, undefined, 2)}\n`)
  } catch (error) {
    throw unusable(path, error)
  }
  return path
}
