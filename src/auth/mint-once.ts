import { StoreUnavailableError } from '../errors.ts'
import { isToken } from '../protocol/syntax.ts'
import { pause } from '../request/clock.ts'
import type { Clock } from '../request/options.ts'
import { Secret } from '../secret.ts'
import type { Json, Store } from '../store/store.ts'
import { type InstallationToken, isNearExpiry } from './installation-token.ts'

/** Milliseconds for which one process may mint while the others wait, and between two looks of theirs. */
const CLAIM_LIFETIME = 40_000
const POLL_INTERVAL = 200

/** How often a process looks at one claim before it takes it over. */
const MOST_LOOKS = CLAIM_LIFETIME / POLL_INTERVAL

/** A record that all processes share: a token, or who mints the next one. `sealed()` encrypts the member `token`. */
type SharedToken =
  | { readonly v: 1; readonly token: string; readonly mintedAt: number; readonly expiresAt: number }
  | { readonly v: 1; readonly claim: string }

interface StoredRecord {
  readonly store: Store
  readonly key: string
}

/**
 * Returns the token that all processes with one store share. If it is due, one of them mints the next, and the others
 * wait for it.
 *
 * @throws {@link StoreUnavailableError} if the store cannot be read or written: then nothing was minted.
 */
export async function mintOnce(
  { store, key }: StoredRecord,
  clock: Clock,
  mint: () => Promise<InstallationToken>,
): Promise<InstallationToken> {
  const claim = crypto.randomUUID()
  let watched: string | undefined
  // Counted, since the clocks of two hosts differ: a claim from the future must not block this one.
  let looks = MOST_LOOKS
  for (;;) {
    const now = clock.now()
    const seen = await store.update<InstallationToken | 'claimed' | { readonly claim: string }>(
      key,
      (value) => {
        const record = readShared(value)
        const shared = record && tokenOf(record)
        if (shared && !isNearExpiry(shared, now)) return { result: shared }
        if (record && 'claim' in record && (record.claim !== watched || looks > 0)) return { result: record }
        return { result: 'claimed', value: { v: 1, claim }, expiresAt: now + CLAIM_LIFETIME }
      },
    )
    if (seen === 'claimed') break
    if ('token' in seen) return seen
    // Where the claimant ended, another one of those that waited has begun to mint.
    looks = seen.claim === watched ? looks - 1 : MOST_LOOKS
    watched = seen.claim
    await pause(clock, POLL_INTERVAL)
  }
  try {
    const minted = await mint()
    const { token, mintedAt, expiresAt } = minted
    const value = { v: 1, token: token.reveal(), mintedAt, expiresAt }
    // A token that cannot be shared is still good for this process.
    await store.update(key, () => ({ result: undefined, value, expiresAt })).catch(() => undefined)
    return minted
  } catch (error) {
    const isOurs = (shared: SharedToken) => 'claim' in shared && shared.claim === claim
    await remove({ store, key }, isOurs).catch(() => undefined)
    throw error
  }
}

/** Removes a token from the store, unless it holds another one by now. */
export function unshare(record: StoredRecord, token: Secret): Promise<void> {
  return remove(record, (shared) => 'token' in shared && shared.token === token.reveal())
}

function remove({ store, key }: StoredRecord, isMeant: (record: SharedToken) => boolean): Promise<void> {
  return store.update<void>(key, (value) => {
    const record = readShared(value)
    return record && isMeant(record) ? { result: undefined, value: null } : { result: undefined }
  })
}

function tokenOf(record: SharedToken): InstallationToken | undefined {
  return 'token' in record ? { ...record, token: new Secret(record.token) } : undefined
}

/** Parses a stored record. Throws StoreUnavailableError if it is not one. */
function readShared(value: Json | undefined): SharedToken | undefined {
  if (value === undefined) return undefined
  const { v, token, mintedAt, expiresAt, claim } = Object(value)
  const isRecord =
    token === undefined
      ? typeof claim === 'string'
      : isToken(token) && Number.isFinite(mintedAt) && Number.isFinite(expiresAt)
  if (v === 1 && isRecord) return value as unknown as SharedToken
  throw new StoreUnavailableError('the stored installation token is damaged: delete it')
}
