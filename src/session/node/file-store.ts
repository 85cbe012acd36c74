import { open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { BadOptionError, DamagedRecordError, StoreUnavailableError } from '../../errors.ts'
import { type Change, type Json, NEVER } from '../../store/store.ts'
import { createTurns } from '../../store/turns.ts'
import { type SealingKey, sealed } from '../sealed.ts'
import type { SessionStore } from '../session-store.ts'
import { underLock } from './file-lock.ts'
import { assertPrivate, folderOf, makePrivate } from './private-folder.ts'
import { processOwners } from './process-owners.ts'
import { readRegularFile } from './regular-file.ts'

/** The end of the name of a file that is being written. The file of another login may begin with the same name. */
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

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
export function fileStore(name: string, { seal }: FileStoreOptions = {}): SessionStore {
  if (typeof name !== 'string' || name === '')
    throw new BadOptionError('fileStore() needs the name of your app, or the path of a folder')
  const folder = folderOf(name)
  const owners = processOwners()
  const inTurn = createTurns()
  const fileOf = (key: string) => join(folder, `${encodeURIComponent(key)}.json`)

  const store: SessionStore = {
    owners,
    async update<Result>(key: string, change: (value: Json | undefined) => Change<Result>): Promise<Result> {
      const file = fileOf(key)
      return explained(file, async () => {
        await assertPrivate(folder)
        const seen = change(await readRecord(file))
        if (seen.value === undefined) return seen.result
        await makePrivate(folder)
        return inTurn(file, () =>
          underLock(`${file}.lock`, owners, async () => {
            const made = change(await readRecord(file))
            if (made.value !== undefined) await removeLeftovers(file)
            if (made.value === null) await rm(file, { force: true })
            else if (made.value !== undefined)
              await replaceFile(file, `${JSON.stringify({ value: made.value, expiresAt: made.expiresAt })}\n`)
            return { result: made.result, known: '' }
          }),
        )
      })
    },
  }
  return seal === undefined ? store : sealed(store, seal)
}

async function readRecord(file: string): Promise<Json | undefined> {
  let text: string
  try {
    text = await readRegularFile(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    const { value, expiresAt = NEVER } = JSON.parse(text)
    return expiresAt > Date.now() ? value : undefined
  } catch {
    throw new DamagedRecordError(`${file} is damaged: delete it and log in again`)
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
async function removeLeftovers(file: string): Promise<void> {
  const prefix = `${basename(file)}.new.`
  for (const name of await readdir(dirname(file)))
    if (name.startsWith(prefix) && UUID.test(name.slice(prefix.length)))
      await rm(join(dirname(file), name), { force: true })
}

/** Names the file in errors of the system. */
async function explained<Result>(file: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (syscall === undefined) throw error
    throw new StoreUnavailableError(`${file} cannot be read or written: ${code}`)
  }
}
