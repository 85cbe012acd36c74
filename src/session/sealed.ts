import { BadOptionError, DamagedRecordError } from '../errors.ts'
import { decrypt, encrypt, KEY_LENGTH, type Sealed } from '../store/encryption.ts'
import type { Change, Json, Store } from '../store/store.ts'
import { createTurns } from '../store/turns.ts'
import type { SessionStore } from './session-store.ts'

type Members = Readonly<Record<string, Json>>

/**
 * 32 random bytes, or a function that resolves with them, such as `keyringKey()`. The function is called when the first
 * token is encrypted or decrypted, and again only if it rejected.
 *
 * @inline
 */
export type SealingKey = Uint8Array | (() => Promise<Uint8Array>)

/**
 * Encrypts the tokens in a store with AES-256-GCM. The rest of each record (login, generation, claim) stays readable,
 * but a token opens only in the record that it was written with.
 *
 * @param key 32 random bytes, or a function that resolves with them.
 * @throws {@link BadOptionError} if the key does not have 32 bytes. Updates reject with {@link DamagedRecordError}
 * if a record was sealed with another key, was changed, or is not sealed; and with what the function rejects with.
 */
export function sealed(store: SessionStore, key: SealingKey): SessionStore {
  if (typeof key !== 'function') assertKey(key)
  let imported: Promise<CryptoKey> | undefined
  const cipher: Cipher = () => {
    imported ??= importKey(key).catch((error) => {
      imported = undefined
      throw error
    })
    return imported
  }
  const inTurn = createTurns()

  return {
    ...(store.owners && { owners: store.owners }),
    async update<Result>(name: string, change: (value: Json | undefined) => Change<Result>): Promise<Result> {
      const seen = change(await open(cipher, name, await read(store, name)))
      if (seen.value === undefined) return seen.result
      // One after the other: each of many at once would have to begin again after each of the others.
      return inTurn(name, async () => ({ result: await changed(store, { cipher, name, change }), known: '' }))
    },
  }
}

type Cipher = () => Promise<CryptoKey>

async function importKey(key: SealingKey): Promise<CryptoKey> {
  const bytes = typeof key === 'function' ? await key() : key
  assertKey(bytes)
  return crypto.subtle.importKey('raw', new Uint8Array(bytes), 'AES-GCM', false, ['encrypt', 'decrypt'])
}

function assertKey(key: Uint8Array): void {
  if (!(key instanceof Uint8Array) || key.byteLength !== KEY_LENGTH)
    throw new BadOptionError(`key must be a Uint8Array of ${KEY_LENGTH} bytes`)
}

async function changed<Result>(
  store: Store,
  {
    cipher,
    name,
    change,
  }: {
    readonly cipher: Cipher
    readonly name: string
    readonly change: (value: Json | undefined) => Change<Result>
  },
): Promise<Result> {
  for (;;) {
    const before = await read(store, name)
    const made = change(await open(cipher, name, before))
    if (made.value === undefined) return made.result
    const value = made.value === null ? null : await seal(cipher, name, made.value)
    const expiresAt = made.value === null ? undefined : made.expiresAt
    if (await replace(store, name, { before, value, expiresAt })) return made.result
  }
}

function read(store: Store, name: string): Promise<Json | undefined> {
  return store.update(name, (value) => ({ result: value }))
}

/** Returns `false` if another process has changed the record. */
function replace(
  store: Store,
  name: string,
  {
    before,
    value,
    expiresAt,
  }: {
    readonly before: Json | undefined
    readonly value: NonNullable<Json> | null
    readonly expiresAt: number | undefined
  },
): Promise<boolean> {
  return store.update<boolean>(name, (now) => {
    if (JSON.stringify(now) !== JSON.stringify(before)) return { result: false }
    if (value === null) return { result: true, value }
    return { result: true, value, ...(expiresAt !== undefined && { expiresAt }) }
  })
}

async function seal(cipher: Cipher, name: string, value: NonNullable<Json>): Promise<NonNullable<Json>> {
  const { token, ...rest } = value as Members
  if (token === undefined) return value
  return { ...rest, sealed: await encrypt(await cipher(), JSON.stringify(token), bound(name, rest)) }
}

async function open(cipher: Cipher, name: string, value: Json | undefined): Promise<Json | undefined> {
  const { sealed, ...rest } = Object(value) as Members
  if (!Array.isArray(sealed)) {
    if (!('token' in rest)) return value
    throw new DamagedRecordError('the stored record is not encrypted: delete it')
  }
  const key = await cipher()
  try {
    return { ...rest, token: JSON.parse(await decrypt(key, sealed as unknown as Sealed, bound(name, rest))) }
  } catch {
    throw new DamagedRecordError(
      'the stored record cannot be decrypted: it was sealed with another key, or changed',
    )
  }
}

/** The name and the rest of a record, with sorted members: some stores change their order. */
function bound(name: string, rest: Members): string {
  const sorted = (_: string, value: unknown) =>
    Object.prototype.toString.call(value) === '[object Object]'
      ? Object.fromEntries(Object.entries(value as Members).sort())
      : value
  return JSON.stringify([name, rest], sorted)
}
