import { BadOptionError, DamagedRecordError } from '../errors.ts'
import { decrypt, encrypt, KEY_LENGTH, type SealedText } from '../store/encryption.ts'
import type { Change, Json } from '../store/store.ts'
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

/** Encrypts and decrypts the secret members of the record with a name. */
export interface RecordSeal {
  close(name: string, value: NonNullable<Json>): Promise<NonNullable<Json>>
  /** Throws {@link DamagedRecordError} for a record that was sealed with another key, was changed, or is not sealed. */
  open(name: string, value: Json | undefined): Promise<Json | undefined>
}

/**
 * Encrypts the tokens in a store with AES-256-GCM, and the secret data of sessions. The rest of each record (login,
 * generation, claim) stays readable, but a token opens only in the record that it was written with.
 *
 * @param key 32 random bytes, or a function that resolves with them.
 * @throws {@link BadOptionError} if the key does not have 32 bytes. Updates reject with {@link DamagedRecordError}
 * if a record was sealed with another key, was changed, or is not sealed; and with what the function rejects with.
 */
export function sealed(store: SessionStore, key: SealingKey): SessionStore {
  const { open, close } = createSeal(key)
  const inTurn = createTurns()

  async function update<Result>(
    name: string,
    change: (value: Json | undefined) => Change<Result>,
  ): Promise<{ readonly result: Result; readonly known: string }> {
    const before = await store.update(name, (value) => ({ result: value }))
    const made = change(await open(name, before))
    const done = { result: made.result, known: '' }
    if (made.value === undefined) return done
    const closed = made.value ? { ...made, value: await close(name, made.value) } : made
    const isReplaced = await store.update<boolean>(name, (now) =>
      JSON.stringify(now) === JSON.stringify(before) ? { ...closed, result: true } : { result: false },
    )
    // Otherwise, another process has changed the record.
    return isReplaced ? done : update(name, change)
  }

  return {
    ...(store.owners && { owners: store.owners }),
    // One after the other: each of many at once would have to begin again after each of the others.
    update: (name, change) => inTurn(name, () => update(name, change)),
  }
}

/** Throws {@link BadOptionError} if the key does not have 32 bytes. */
export function createSeal(key: SealingKey): RecordSeal {
  if (typeof key !== 'function') assertKey(key)
  let imported: Promise<CryptoKey> | undefined
  const cipher = () => {
    imported ??= importKey(key).catch((error) => {
      imported = undefined
      throw error
    })
    return imported
  }
  return {
    async close(name, value) {
      const { token, secret, ...rest } = value as Members
      if (token === undefined && secret === undefined) return value
      const text = JSON.stringify({ token, secret })
      return { ...rest, sealed: await encrypt(await cipher(), text, boundTo(name, rest)) }
    },
    async open(name, value) {
      const { sealed, ...rest } = Object(value) as Members
      if (!Array.isArray(sealed)) {
        if (!('token' in rest || 'secret' in rest)) return value
        throw new DamagedRecordError('the stored record is not encrypted: delete it')
      }
      const key = await cipher()
      try {
        const text = await decrypt(key, sealed as unknown as SealedText, boundTo(name, rest))
        return { ...rest, ...JSON.parse(text) }
      } catch {
        throw new DamagedRecordError(
          'the stored record cannot be decrypted: it was sealed with another key, or changed',
        )
      }
    },
  }
}

async function importKey(key: SealingKey): Promise<CryptoKey> {
  const bytes = typeof key === 'function' ? await key() : key
  assertKey(bytes)
  return crypto.subtle.importKey('raw', new Uint8Array(bytes), 'AES-GCM', false, ['encrypt', 'decrypt'])
}

function assertKey(key: Uint8Array): void {
  if (!(key instanceof Uint8Array) || key.byteLength !== KEY_LENGTH)
    throw new BadOptionError(`key must be a Uint8Array of ${KEY_LENGTH} bytes`)
}

/** The name and the rest of a record, with sorted members: some stores change their order. */
function boundTo(name: string, rest: Members): string {
  const sorted = (_: string, value: unknown) =>
    Object.prototype.toString.call(value) === '[object Object]'
      ? Object.fromEntries(Object.entries(value as Members).sort())
      : value
  return JSON.stringify([name, rest], sorted)
}
