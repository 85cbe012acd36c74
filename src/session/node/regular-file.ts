import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

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

/** Reads a text file, synchronously. */
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
