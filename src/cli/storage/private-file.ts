import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { CommandError } from '../command-error.ts'

/**
 * Writes a file that only this user may read. Whoever reads meanwhile finds the old text or the new one, whole.
 *
 * @throws CommandError `unusable_file`, as all that is here.
 */
export function writePrivate(path: string, text: string): void {
  const draft = `${path}.${process.pid}`
  makeFolder(dirname(path))
  try {
    // A process of this number may have been killed as it wrote.
    rmSync(draft, { force: true })
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' })
    renameSync(draft, path)
  } catch (error) {
    throw unusable(path, error)
  }
}

/** Makes a folder for this user alone, where there is none. */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw unusable(path, error)
  }
}

/** Reads a file; nothing where there is none. */
export function readIfThere(path: string): string | undefined {
  return unlessMissing(path, () => readFileSync(path, 'utf8'))
}

/** Removes a file. False where there was none. */
export function removeFile(path: string): boolean {
  return unlessMissing(path, () => rmSync(path) === undefined) ?? false
}

/** Names the JSON files of a folder, without their ending. */
export function namesIn(folder: string): string[] {
  const files = unlessMissing(folder, () => readdirSync(folder)) ?? []
  return files.filter((file) => file.endsWith('.json')).flatMap((file) => nameIn(file) ?? [])
}

/** The file of somebody else has no name. */
function nameIn(file: string): string | undefined {
  try {
    return decodeURIComponent(file.slice(0, -'.json'.length))
  } catch {
    return undefined
  }
}

function unlessMissing<Result>(path: string, use: () => Result): Result | undefined {
  try {
    return use()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw unusable(path, error)
  }
}

/** Says that a path cannot be used, and what to do. */
export function unusable(path: string, error: unknown): CommandError {
  const { code } = error as NodeJS.ErrnoException
  return new CommandError('unusable_file', `${path} cannot be used (${code}): AUTHGRAPH_CONFIG_DIR moves it`)
}
