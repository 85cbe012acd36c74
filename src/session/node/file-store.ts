import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { assertKnown, type Names } from '../../assert-known.ts'
import { BadOptionError, DamagedRecordError, StoreUnavailableError } from '../../errors.ts'
import { type Change, type Json, NEVER } from '../../store/store.ts'
import { createTurns } from '../../store/turns.ts'
import { createSeal, type RecordSeal, type SealingKey } from '../sealed.ts'
import type { SessionStore } from '../session-store.ts'
import {
  assertPrivate,
  folderOf,
  makePrivate,
  openRegularFile,
  processOwners,
  underLock,
} from './shared-files.ts'

/** The end of the name of a file that is being written. The file of another login may begin with the same name. */
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

const NO_SEAL: RecordSeal = { open: async (_, value) => value, close: async (_, value) => value }

/** Options of `fileStore`. */
export interface FileStoreOptions {
  /**
   * The key that encrypts the tokens: 32 random bytes, or `keyringKey()`. Default: none; the tokens are in plain text,
   * in files of this user only.
   */
  readonly seal?: SealingKey
}

/**
 * Stores sessions in files that all processes of this user share: a folder that only the user can open, with one file
 * for each name.
 *
 * An update that writes nothing takes no lock, so a login can be read from a read-only file system. The store was
 * tested on Linux with local file systems; a network file system needs hard links and a working `fsync`.
 *
 * @param name The name of your app, for a folder in the system's usual place for such files; or the path of a folder.
 * @throws {@link BadOptionError} if the name is empty. Updates reject with {@link StoreUnavailableError} if other users
 * can open the folder, or a file cannot be read or written; with {@link DamagedRecordError} if it has no valid content.
 */
export function fileStore(name: string, options: FileStoreOptions = {}): SessionStore {
  assertKnown(options, { seal: true } satisfies Names<FileStoreOptions>)
  const { seal: key } = options
  if (typeof name !== 'string' || name === '')
    throw new BadOptionError('fileStore() needs the name of your app, or the path of a folder')
  return filesIn(folderOf(name), key === undefined ? NO_SEAL : createSeal(key))
}

export function filesIn(folder: string, seal: RecordSeal): SessionStore {
  const owners = processOwners()
  const inTurn = createTurns()

  async function update<Result>(
    file: string,
    key: string,
    change: (value: Json | undefined) => Change<Result>,
  ): Promise<Result> {
    const read = async (handle: FileHandle | undefined) => {
      const made = change(await seal.open(key, await readRecord(file, handle)))
      // Sealed before the lock is taken, since the user may have to unlock the keyring.
      return made.value ? { ...made, value: await seal.close(key, made.value) } : made
    }
    await assertPrivate(folder)
    return withFile(file, async (seen) => {
      const made = await read(seen)
      if (made.value === undefined) return made.result
      await makePrivate(folder)
      return inTurn(file, () =>
        underLock(`${file}.lock`, owners, async (names) => {
          const { result, ...written } = (await isStill(file, seen)) ? made : await withFile(file, read)
          if (written.value !== undefined) await removeLeftovers(file, names)
          if (written.value === null) await rm(file, { force: true })
          else if (written.value !== undefined) await replaceFile(file, `${JSON.stringify(written)}\n`)
          return { result, known: '' }
        }),
      )
    })
  }

  return {
    owners,
    update(key, change) {
      const file = fileIn(folder, key)
      return update(file, key, change).catch((error) => {
        throw namingFile(file, error)
      })
    },
  }
}

/** The path of the file of a session. Characters that a file name cannot contain are escaped. */
export function fileIn(folder: string, key: string): string {
  return join(folder, `${encodeURIComponent(key)}.json`)
}

export function describePlace(file: string, isPlain: boolean): string {
  return `${file} (${isPlain ? 'plain text' : 'encrypted, key in the keyring'})`
}

/** Opens a file, if it is there, until the function has ended. */
async function withFile<Result>(
  file: string,
  use: (handle: FileHandle | undefined) => Promise<Result>,
): Promise<Result> {
  const handle = await openRegularFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  try {
    return await use(handle)
  } finally {
    await handle?.close()
  }
}

async function readRecord(file: string, handle: FileHandle | undefined): Promise<Json | undefined> {
  const text = await handle?.readFile('utf8')
  // Windows does not replace a file that is open.
  if (process.platform === 'win32') await handle?.close()
  if (text === undefined) return undefined
  try {
    const { value, expiresAt = NEVER } = JSON.parse(text)
    return expiresAt > Date.now() ? value : undefined
  } catch {
    throw new DamagedRecordError(`${file} is damaged: delete it and log in again`)
  }
}

/** Whether nobody has replaced an open file, whose inode cannot be used for another one before it is closed. */
async function isStill(file: string, handle: FileHandle | undefined): Promise<boolean> {
  try {
    const [now, seen] = await Promise.all([stat(file), handle?.stat()])
    return now.ino === seen?.ino && now.dev === seen.dev
  } catch {
    return false
  }
}

/** Readers find either the complete old text or the complete new one, even after a system crash. */
async function replaceFile(file: string, text: string): Promise<void> {
  const next = `${file}.new.${crypto.randomUUID()}`
  try {
    const handle = await open(next, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(next, file)
  } catch (error) {
    await rm(next, { force: true })
    throw error
  }
}

/** Removes the files that killed writers left behind. While this process has the lock, there is no other writer. */
async function removeLeftovers(file: string, names: readonly string[]): Promise<void> {
  const prefix = `${basename(file)}.new.`
  for (const name of names)
    if (name.startsWith(prefix) && UUID.test(name.slice(prefix.length)))
      await rm(join(dirname(file), name), { force: true })
}

function namingFile(file: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  return syscall === undefined
    ? error
    : new StoreUnavailableError(`${file} cannot be read or written: ${code}`)
}
