import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Writes a file that only this user may read. Whoever reads meanwhile finds the old text or the new one, whole. */
export function writePrivate(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}`
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' })
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

/** Reads a file; nothing where there is none. */
export function readIfThere(path: string): string | undefined {
  return unlessMissing(() => readFileSync(path, 'utf8'))
}

/** Removes a file. False where there was none. */
export function removeFile(path: string): boolean {
  return unlessMissing(() => rmSync(path) === undefined) ?? false
}

/** Names the JSON files of a folder, without their ending. */
export function namesIn(folder: string): string[] {
  const files = unlessMissing(() => readdirSync(folder)) ?? []
  return files
    .filter((file) => file.endsWith('.json'))
    .map((file) => decodeURIComponent(file.slice(0, -'.json'.length)))
}

function unlessMissing<Result>(read: () => Result): Result | undefined {
  try {
    return read()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
