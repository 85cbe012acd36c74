import type { Server } from 'node:http'
import { BadOptionError } from '../../errors.ts'
import { nodeModule } from './node-module.ts'

/** The address of everyone who connects through a Unix socket. nginx calls it the same. */
export const UNIX_SOCKET = 'unix:'

/**
 * Listens on a Unix socket, which only those can open whom its mode allows, from its first moment on. A socket that an
 * ended process left behind is replaced.
 *
 * @throws {@link BadOptionError} if a process listens there, or if the socket cannot be created.
 */
export async function listenOnSocket(server: Server, path: string, mode: number): Promise<void> {
  if (!Number.isInteger(mode) || mode < 0 || mode > 0o777)
    throw new BadOptionError('mode must be a whole number from 0 to 0o777')
  const fs = nodeModule('node:fs')
  try {
    if (await isLeftBehind(path)) fs?.unlinkSync(path)
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      // A change of the mode afterwards would come too late. Folders that other threads create meanwhile stay usable.
      const before = process.umask(~mode & 0o666)
      try {
        // Exclusive: the primary of a cluster would bind it with its own mask.
        server.listen({ path, exclusive: true }, resolve)
      } finally {
        process.umask(before)
      }
      if (server.listening) fs?.chmodSync(path, mode)
    })
  } catch (error) {
    throw new BadOptionError(whyNot(error as NodeJS.ErrnoException, path))
  }
}

async function isLeftBehind(path: string): Promise<boolean> {
  if (!nodeModule('node:fs')?.lstatSync(path, { throwIfNoEntry: false })?.isSocket()) return false
  const probe = nodeModule('node:net')?.connect(path)
  return new Promise((resolve) => {
    probe?.once('connect', () => {
      probe.destroy()
      resolve(false)
    })
    probe?.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code === 'ECONNREFUSED'))
  })
}

function whyNot({ code }: NodeJS.ErrnoException, path: string): string {
  if (code === 'EADDRINUSE') return `the path ${path} is in use: choose another one`
  return `cannot create the Unix socket ${path}: ${code}`
}
