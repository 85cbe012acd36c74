import { linkSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { getSystemErrorMap } from 'node:util'
import * as v from 'valibot'
import { createFolder, folderOf, readRegularFileSync } from '../session/node/shared-files.ts'
import { CommandError } from './command-error.ts'

/** What the system says of a folder in place of a file, and `readRegularFileSync` of anything else. */
const NOT_A_FILE: readonly string[] = ['EISDIR', 'ERR_FS_EISDIR', 'not a regular file']

/** Codes for which the system has no words, or none for a user. */
const WORDS: Readonly<Record<string, string>> = {
  EISDIR: 'it is a folder',
  ERR_FS_EISDIR: 'it is a folder',
  ERR_STRING_TOO_LONG: 'the file is too large',
  ERR_FS_FILE_TOO_LARGE: 'the file is too large',
}

/** What the user can do, also by the code of the system. */
type Advice = string | ((code: string) => string)

/** The folder of sensitive files. `AUTHGRAPH_CONFIG_DIR` names the one that contains it. */
export function stateFolder(): string {
  const { AUTHGRAPH_CONFIG_DIR } = process.env
  return AUTHGRAPH_CONFIG_DIR ? join(AUTHGRAPH_CONFIG_DIR, 'state') : folderOf('authgraph')
}

/** The path of the file of a profile. Characters that a file name cannot contain are escaped. */
export function fileOf(folder: string, profile: string): string {
  return join(folder, `${encodeURIComponent(profile)}.json`)
}

/**
 * Writes a file that only this user may read. The write is atomic: a concurrent reader gets the old or the new text.
 *
 * @throws {@link CommandError} with code `unusable_file`, like all functions of this file.
 */
export function writePrivate(path: string, text: string): void {
  const draft = `${path}.${process.pid}`
  makeFolder(dirname(path))
  use(path, () => {
    // An earlier process with this ID may have been killed while it wrote.
    rmSync(draft, { force: true })
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' })
    renameSync(draft, path)
  })
}

/**
 * Creates a file that only this user may read, unless it exists. Of several processes that do this at the same time, one
 * creates the file, as a whole, and the others leave it. The folder must exist.
 */
export function createPrivate(path: string, text: string, advice?: string): void {
  // Processes in several containers may have the same ID.
  const draft = `${path}.${crypto.randomUUID()}`
  const create = () => {
    try {
      writeFileSync(draft, text, { mode: 0o600, flag: 'wx' })
      unless('EEXIST', () => linkSync(draft, path))
    } finally {
      rmSync(draft, { force: true })
    }
  }
  use(path, create, advice)
}

/** Creates a folder that only this user may read, unless it exists. */
export function makeFolder(path: string): void {
  use(path, () => createFolder(path))
}

/** Reads a file. Returns `undefined` if it does not exist. The advice is for a file that cannot be read. */
export function readIfThere(path: string, advice?: string): string | undefined {
  return use(path, () => unless('ENOENT', () => readRegularFileSync(path)), advice)
}

/** Removes a file. Returns `false` if it does not exist. */
export function removeFile(path: string): boolean {
  return use(path, () => unless('ENOENT', () => rmSync(path) === undefined)) ?? false
}

/** Lists the names of the JSON files in a folder, unescaped and without the extension. */
export function namesIn(folder: string): string[] {
  const files = use(folder, () => unless('ENOENT', () => readdirSync(folder))) ?? []
  return files.filter((file) => file.endsWith('.json')).flatMap((file) => nameIn(file) ?? [])
}

/**
 * Uses files. If that fails, says what could not be done, and why.
 *
 * @param advice What the user can do.
 * @throws {@link CommandError} with code `unusable_file`.
 */
export function onDisk<Result>(problem: string, use: () => Result, advice?: Advice): Result {
  try {
    return use()
  } catch (error) {
    const said = typeof advice === 'function' ? advice(codeOf(error)) : advice
    throw new CommandError('unusable_file', `${problem} (${fileProblem(error)})${said ? `: ${said}` : ''}`)
  }
}

/** Says why a file cannot be used. */
export function fileProblem(error: unknown): string {
  return inWords(codeOf(error))
}

/** Says a code of the system in words, such as `no space left on device` for `ENOSPC`. Any other text stays. */
export function inWords(code: string): string {
  return WORDS[code] ?? new Map(getSystemErrorMap().values()).get(code) ?? code
}

function codeOf(error: unknown): string {
  // A string that would be too long has no code if it was read in parts.
  return (error as NodeJS.ErrnoException).code ?? 'ERR_STRING_TOO_LONG'
}

/** Parses JSON of this shape. Returns `undefined` for any other text. */
export function parseJson<Schema extends v.GenericSchema>(
  schema: Schema,
  text: string | undefined,
): v.InferOutput<Schema> | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text)
  return parsed.success ? parsed.output : undefined
}

/** Says what is wrong with a text that is not JSON, or with a member. Quotes no value. */
export function jsonFault(issue: v.BaseIssue<unknown>, member?: unknown): string {
  if (issue.type === 'parse_json') return `is not JSON${placeInJson(issue)}`
  return `has ${isUnknown(issue) ? 'an unknown' : 'no valid'} ${JSON.stringify(member)}`
}

/** Whether a member has a name that nobody reads. */
export function isUnknown({ expected }: v.BaseIssue<unknown>): boolean {
  return expected === 'never'
}

/** Says where a text is not JSON, if the runtime does: ` (line 2)`. */
function placeInJson({ input, received }: v.BaseIssue<unknown>): string {
  const [, position] = / at position (\d+)/.exec(received) ?? []
  return position ? ` (line ${String(input).slice(0, Number(position)).split('\n').length})` : ''
}

/** `undefined` for a file that another program wrote. */
function nameIn(file: string): string | undefined {
  try {
    return decodeURIComponent(file.slice(0, -'.json'.length))
  } catch {
    return undefined
  }
}

/** Returns `undefined` if that fails with this code of the system. */
function unless<Result>(code: string, run: () => Result): Result | undefined {
  try {
    return run()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return undefined
    throw error
  }
}

function use<Result>(path: string, run: () => Result, advice: Advice = elsewhere) {
  return onDisk(`cannot use ${path}`, run, advice)
}

function elsewhere(code: string): string {
  if (NOT_A_FILE.includes(code)) return 'delete or move it'
  const advice = 'set AUTHGRAPH_CONFIG_DIR to use another folder'
  const isForbidden = ['EACCES', 'EPERM'].includes(code)
  return isForbidden ? `if sudo created it, change its owner; otherwise ${advice}` : advice
}
