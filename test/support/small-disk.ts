import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Mounts a file system of 64 KB. Only root may do that. Returns its path, and how to remove it. */
export function mountSmallDisk(): { readonly path: string; readonly unmount: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'authgraph-full-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'tmpfs', path], { stdio: 'ignore' })
  } catch (error) {
    rmdirSync(path)
    throw error
  }
  return {
    path,
    unmount() {
      // A process that was stopped may still have a file open.
      execFileSync('umount', ['--lazy', path])
      rmdirSync(path)
    },
  }
}

/** Whether this user can mount one. For others, the tests are skipped. */
export const canMount = (() => {
  try {
    mountSmallDisk().unmount()
    return true
  } catch {
    return false
  }
})()

/** Fills a disk, with a file whose path is returned. */
export function fill(path: string): string {
  const filler = join(path, 'filler')
  for (;;)
    try {
      appendFileSync(filler, Buffer.alloc(4096))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return filler
      throw error
    }
}
