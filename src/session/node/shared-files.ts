import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  type Stats,
  statSync,
} from 'node:fs'
import { type FileHandle, link, open, readdir, rm, stat } from 'node:fs/promises'
import { homedir, uptime } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, threadId } from 'node:worker_threads'
import { StoreUnavailableError } from '../../errors.ts'
import type { Owners } from '../session-store.ts'

/**
 * Milliseconds between two attempts to take a lock, and how many there are: about ten seconds. A lock is held for less
 * than one millisecond. Attempts are counted, since time also passes while a waiting process is stopped.
 */
const PAUSE = 5
const ATTEMPTS = 2_000

/** Milliseconds after which a lock is dead if its owner cannot be checked: it was left by another boot or a crash. */
const LOCK_LIFETIME = 90_000

/** What a lock file contains. The nonce names the file of the heir, if the process dies with the lock. */
interface HeldLock {
  readonly owner: string
  readonly nonce: string
}

/** A lock file that was found. After a system crash, it may have no content: then its inode and time identify it. */
interface Found {
  readonly owner: string | undefined
  readonly nonce: string
  readonly mtime: number
}

type IsDead = (found: Found) => boolean

/** What a file system says that has no room for more content. */
const FULL: readonly unknown[] = ['ENOSPC', 'EDQUOT']

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
  createFolder(folder)
  await assertPrivate(folder)
}

/** Creates a folder and those above it, unless they exist. With `recursive`, Node would try for ever in `/proc`. */
export function createFolder(path: string): void {
  const parent = dirname(path)
  if (parent !== path && !existsSync(parent)) createFolder(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have been first.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
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
  const code = stats.isDirectory() ? 'EISDIR' : 'not a regular file'
  throw Object.assign(new Error(), { code, syscall: 'read' })
}

/**
 * Runs a function under a lock file, while no other process does. The function receives the names in the folder.
 *
 * `link` creates the file together with its content. Whoever finds the lock of a dead process must not remove it, since
 * several processes may find it at once. The one that creates the file `<lock>.<nonce of the dead process>` is its
 * heir: it works under that file, and then removes the chain, the lock first.
 *
 * @throws {@link StoreUnavailableError} if a living process does not release the lock, or the file system has no hard
 * links.
 */
export async function underLock<Result>(
  lock: string,
  owners: Owners,
  run: (names: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const nonce = crypto.randomUUID()
  const own = `${lock}.new.${nonce}`
  try {
    await create(own, { owner: owners.self, nonce })
    // The age of another file is measured by the clock of the file system.
    const { mtimeMs } = await stat(own)
    const isDead = ({ owner, mtime }: Found) =>
      (owner === undefined ? undefined : owners.isGone(owner)) ?? mtimeMs - mtime > LOCK_LIFETIME
    const chain = await acquire(lock, own, isDead)
    try {
      const names = await readdir(dirname(lock))
      await removeLeftovers(lock, names, isDead)
      return await run(names)
    } finally {
      // The lock first: without it, nobody can become the heir of the others.
      for (const file of chain) await rm(file, { force: true })
    }
  } finally {
    await rm(own, { force: true })
  }
}

/** A full disk has room for an empty file, so that a record can still be deleted. Without content, the file dies by age. */
async function create(file: string, content: HeldLock): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(JSON.stringify(content))
  } catch (error) {
    if (!FULL.includes((error as NodeJS.ErrnoException).code)) throw error
  } finally {
    await handle.close()
  }
}

/** Removes the files of processes that were killed while they waited for the lock. */
async function removeLeftovers(lock: string, names: readonly string[], isDead: IsDead): Promise<void> {
  for (const name of names) {
    if (!name.startsWith(`${basename(lock)}.new.`)) continue
    const file = join(dirname(lock), name)
    const found = await find(file)
    if (found && isDead(found)) await rm(file, { force: true })
  }
}

/** Resolves to the files to remove: the lock, and those of its heirs up to this process. */
async function acquire(lock: string, own: string, isDead: IsDead): Promise<string[]> {
  let holder = lock
  for (let attempts = 0; attempts < ATTEMPTS; attempts += 1) {
    const acquired = await tryToAcquire(lock, own, isDead)
    if (typeof acquired !== 'string') return acquired
    holder = acquired
    await sleep(PAUSE)
  }
  throw new StoreUnavailableError(
    `another process holds the lock ${holder} and does not release it: try again later, or delete this file if that process has ended`,
  )
}

/** Resolves to the files to remove, or to the file of the process that has the lock. */
async function tryToAcquire(lock: string, own: string, isDead: IsDead): Promise<string[] | string> {
  const chain: { readonly file: string; readonly nonce: string }[] = []
  for (let file = lock; ; ) {
    if (await tryToLink(own, file)) {
      // The dead process may have had another heir, which has already removed the chain.
      for (const { file: below, nonce } of chain)
        if ((await find(below))?.nonce !== nonce) {
          await rm(file, { force: true })
          return below
        }
      return [...chain.map(({ file: below }) => below), file]
    }
    const found = await find(file)
    if (found === undefined || !isDead(found)) return file
    chain.push({ file, nonce: found.nonce })
    file = `${lock}.${found.nonce}`
  }
}

async function tryToLink(own: string, file: string): Promise<boolean> {
  try {
    await link(own, file)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    throw new StoreUnavailableError(
      `the lock ${file} cannot be created: ${code}; use a file system with hard links`,
    )
  }
}

/** `undefined` if the file has been removed, or cannot be opened now. */
async function find(file: string): Promise<Found | undefined> {
  try {
    const text = readRegularFileSync(file)
    const { ino, mtimeMs } = await stat(file)
    const { owner, nonce } = readHeld(text) ?? { owner: undefined, nonce: `${ino}-${mtimeMs}` }
    return { owner, nonce, mtime: mtimeMs }
  } catch {
    return undefined
  }
}

function readHeld(text: string): HeldLock | undefined {
  try {
    const { owner, nonce } = JSON.parse(text)
    return typeof owner === 'string' && typeof nonce === 'string' ? { owner, nonce } : undefined
  } catch {
    return undefined
  }
}

/** Identifies a process on a host, even after its ID is reused. */
interface Process {
  /** The boot and the process namespace; empty if the system does not provide them. */
  readonly host: string
  readonly pid: number
  /** When it started, in ticks since the boot; if the system does not provide the boot, in epoch milliseconds. */
  readonly start: string
  /** Its ID, if this is a worker thread. */
  readonly thread?: string | undefined
}

/** Identifies the processes of this host and their worker threads: exactly on Linux, by their IDs on other systems. */
export function processOwners(): Owners {
  const { host, start } = thisProcess()
  const self = [host, process.pid, start, ...(isMainThread ? [] : [threadId])].join('/')
  return {
    self,
    isGone(owner) {
      const other = readOwner(owner)
      if (other === undefined || other.host !== host) return undefined
      const isGone = host === '' ? isGoneById(other) : isGoneByStart(other)
      // A worker thread may have been terminated while its process lives.
      return other.thread !== undefined && owner !== self ? isGone || undefined : isGone
    },
    pidOf(owner) {
      const other = readOwner(owner)
      return other?.host === host ? other.pid : undefined
    },
  }
}

function readOwner(owner: string): Process | undefined {
  const [host, pid, start, thread] = owner.split('/')
  if (host === undefined || start === undefined || !(Number(pid) > 0)) return undefined
  return { host, pid: Number(pid), start, thread }
}

function thisProcess(): Pick<Process, 'host' | 'start'> {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return { host: `${boot} ${readlinkSync('/proc/self/ns/pid')}`, start: statusOf(process.pid).start }
  } catch {
    return { host: '', start: String(Date.now() - Math.floor(process.uptime() * 1000)) }
  }
}

/** A zombie has ended, too: it only waits for its parent. */
function isGoneByStart({ pid, start }: Process): boolean | undefined {
  try {
    const status = statusOf(pid)
    return status.state === 'Z' || status.start !== start
  } catch (error) {
    const isMissing = ['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')
    return isMissing ? true : undefined
  }
}

function statusOf(pid: number): { readonly state: string; readonly start: string } {
  // The name of the command is in parentheses and may contain anything. proc_pid_stat(5).
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return { state: fields[0] ?? '', start: fields[19] ?? '' }
}

/** The ID may have been reused: by a process of another user, or since the system started. */
function isGoneById({ pid, start }: Process): boolean | undefined {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH' ? true : undefined
  }
  const bootedAt = Date.now() - uptime() * 1000
  return Number(start) < bootedAt ? undefined : false
}
