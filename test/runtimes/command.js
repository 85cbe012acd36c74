import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Milliseconds that one command may take. */
const LONGEST = 180_000

/** Runs a command in a folder, which is also its home, and returns its output. */
export async function run(command, args, folder) {
  const { PATH } = process.env
  const { stdout } = await promisify(execFile)(command, args, {
    cwd: folder,
    env: { PATH, HOME: folder },
    timeout: LONGEST,
  })
  return stdout.trim()
}

/** The path of the command of a package that is installed next to this file. */
export function installed(command) {
  return join(import.meta.dirname, 'node_modules/.bin', command)
}
