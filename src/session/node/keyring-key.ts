import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AsyncEntry } from '@napi-rs/keyring'
import { BadOptionError, StoreUnavailableError } from '../../errors.ts'
import { withDeadline } from '../../store/deadline.ts'
import { folderOf, makePrivate, processOwners, underLock } from './shared-files.ts'

/** The account of the entry. Its service is the name of the program. */
const ACCOUNT = 'session key'

const KEY_LENGTH = 32

/** Milliseconds. A keyring may ask the user to unlock it, and a damaged one may never respond. */
const PATIENCE = 10_000

/** Tries of a call to a keyring that many processes use at the same time. Each waits for two seconds. */
const TRIES = 4
/** Milliseconds between two tries, at most. */
const PAUSE = 500
const NO_REPLY = /did not receive a reply/i

/** What libdbus says without a session bus, or without a keyring on it. */
const NONE_RUNS = /autolaunch|to connect to socket .*: (No such file|Connection refused)|not provided by any/i

/** On Linux, only the Secret Service: the library would fall back to the kernel keyring, which a restart clears. */
const OPTIONS = { linux: { store: 'secret-service' } } as const

/** The keys of this process: with many processes, each read of the keyring takes time. */
const keys = new Map<string, Promise<Uint8Array>>()

/**
 * The key of your program in the system keyring: macOS Keychain, Windows Credential Manager, or the Secret Service of Linux.
 * It is created at its first use, and read once per process, when the first sealed record is read or written. It needs the
 * optional dependency `@napi-rs/keyring`.
 *
 * @example
 * ```ts
 * import { fileStore, keyringKey } from 'authgraph/session/node'
 *
 * const store = fileStore('my-cli', { seal: keyringKey('my-cli') })
 * ```
 *
 * @param name The name of your program.
 * @returns A function that resolves with the key. It rejects with a {@link StoreUnavailableError} if the keyring cannot be
 * used, or does not respond within 10 seconds.
 * @throws {@link BadOptionError} for a name that is empty.
 */
export function keyringKey(name: string): () => Promise<Uint8Array> {
  if (typeof name !== 'string' || name === '')
    throw new BadOptionError('keyringKey() takes the name of your program')
  return () => {
    const known = keys.get(name)
    if (known) return known
    const key = withDeadline(PATIENCE, readKey(name), tookTooLong)
    keys.set(name, key)
    // The keyring may be unlocked later.
    key.catch(() => keys.delete(name))
    return key
  }
}

function tookTooLong(): StoreUnavailableError {
  return keyringError(`no response within ${PATIENCE / 1000} seconds. Is it locked?`)
}

async function readKey(name: string): Promise<Uint8Array> {
  const entry = await entryOf(name)
  const found = await retry(() => entry.getPassword())
  return parseKey(name, found ?? (await createKey(name, entry)))
}

/** Two processes may find no key at the same time: the second one reads the key of the first. */
async function createKey(name: string, entry: AsyncEntry): Promise<string | null> {
  const folder = folderOf(name)
  await retry(() => makePrivate(folder))
  return underLock(join(folder, 'keyring.lock'), processOwners(), () =>
    retry(async () => {
      if ((await entry.getPassword()) === null)
        await entry.setPassword(randomBytes(KEY_LENGTH).toString('base64'))
      return entry.getPassword()
    }),
  )
}

async function entryOf(name: string): Promise<AsyncEntry> {
  // The library is an optional dependency with one binary per platform.
  const library = await import('@napi-rs/keyring').catch((): never => {
    throw keyringError('the package @napi-rs/keyring is not installed')
  })
  return retry(async () => new library.AsyncEntry(name, ACCOUNT, OPTIONS))
}

async function retry<Result>(run: () => Promise<Result>, tries = TRIES): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw error
    // The start of the message describes the keyring, and never an entry.
    const [reason = ''] = error instanceof Error ? error.message.split('\n') : ['it failed']
    if (tries === 1 || !NO_REPLY.test(reason))
      throw keyringError(NONE_RUNS.test(reason) ? 'none is running in this session' : reason.slice(0, 200))
    await sleep(Math.random() * PAUSE)
    return retry(run, tries - 1)
  }
}

function parseKey(name: string, text: string | null): Uint8Array {
  const key = Buffer.from(text ?? '', 'base64')
  if (key.byteLength === KEY_LENGTH) return new Uint8Array(key)
  throw keyringError(`its entry ${name} / ${ACCOUNT} is not a key. Remove the entry, and log in again`)
}

function keyringError(reason: string): StoreUnavailableError {
  return new StoreUnavailableError(`the system keyring cannot be used: ${reason}`)
}
