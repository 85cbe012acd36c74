import { closeSync, constants, openSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as v from 'valibot'
import { CommandError } from '../command-error.ts'
import { onDisk, parseJson, readIfThere, removeFile, stateFolder, writePrivate } from '../files.ts'

const NAME = '.authgraph.json'

/** Those of `w`, but a pipe in place of the file blocks nothing. */
const FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK

/** Names only: nothing in it is secret, and nothing in it says where to send a token. */
const file = v.strictObject({ profile: v.string(), host: v.string() })

const choice = v.object({ profile: v.string() })

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
 * @throws {@link CommandError} with code `damaged_file` or `unusable_file`.
 */
export function directoryProfile(folder = workingDirectory()): DirectoryProfile | undefined {
  if (folder === undefined) return undefined
  const path = join(folder, NAME)
  const text = readIfThere(path, 'correct it, or delete it')
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

/** `undefined` if it was deleted. */
function workingDirectory(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}

/** Selects a login for the working directory and all folders below. Returns the path of the file. */
export function selectHere(profile: string, host: string): string {
  return onDisk(`${NAME} cannot be written in this folder`, () => {
    const path = join(process.cwd(), NAME)
    const file = openSync(path, FLAGS, 0o666)
    writeFileSync(file, `${JSON.stringify({ profile, host }, undefined, 2)}\n`)
    closeSync(file)
    return path
  })
}

/** The name of the profile that `authgraph switch` chose. A damaged file is no choice. */
export function chosenProfile(): string | undefined {
  return parseJson(choice, readIfThere(choicePath()))?.profile
}

/** Makes a profile the current one until the next login. */
export function chooseProfile(profile: string): void {
  writePrivate(choicePath(), JSON.stringify({ profile }))
}

/** Makes the last login the current one. */
export function forgetChoice(): void {
  removeFile(choicePath())
}

function choicePath(): string {
  return join(stateFolder(), 'current.json')
}
