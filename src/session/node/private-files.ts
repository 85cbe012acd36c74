import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { type FileHandle, mkdir, open, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve, sep } from 'node:path'
import { StoreUnavailableError } from '../../errors.ts'

/** The folder with this path, or the folder of an app in the system's place for its state. */
export function folderOf(name: string): string {
  if (isAbsolute(name) || name.includes(sep) || name.includes('/')) return resolve(name)
  const { LOCALAPPDATA, XDG_STATE_HOME = '' } = process.env
  if (process.platform === 'win32') return join(LOCALAPPDATA ?? join(homedir(), 'AppData/Local'), name)
  if (process.platform === 'darwin') return join(homedir(), 'Library/Application Support', name)
  // A relative path is ignored: https://specifications.freedesktop.org/basedir-spec/latest/#basics
  return join(isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : join(homedir(), '.local/state'), name)
}

/** Creates a folder that only this user may open. Throws StoreUnavailableError if others may open it. */
export async function makePrivate(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await assertPrivate(folder)
}

/** Throws StoreUnavailableError if others may open the folder. If it does not exist, nobody can. */
export async function assertPrivate(folder: string): Promise<void> {
  // Windows has no such modes. There, other users cannot open these folders.
  if (process.getuid === undefined) return
  const found = await stat(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (found && (found.uid !== process.getuid() || (found.mode & 0o077) !== 0))
    throw new StoreUnavailableError(`other users can open ${folder}: run chmod 700 on it`)
}

/** Does not wait: a pipe in place of a file would block its reader until somebody writes to it. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK

/** Opens a file to read it. Throws a system error for a pipe, a device or a folder. */
export async function openRegularFile(path: string): Promise<FileHandle> {
  const file = await open(path, FLAGS)
  try {
    assertRegular(await file.stat())
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

export function readRegularFileSync(path: string): string {
  const file = openSync(path, FLAGS)
  try {
    assertRegular(fstatSync(file))
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

function assertRegular(stats: Stats): void {
  if (stats.isFile()) return
  throw Object.assign(new Error(), { code: 'not a regular file', syscall: 'read' })
}
