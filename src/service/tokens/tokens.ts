import type { User } from '../../../machines/device-grant.ts'
import type { Secret } from '../../secret.ts'
import type { Revocations } from '../grants/revocations.ts'
import { hash } from '../stores/hash.ts'
import type { Records } from '../stores/records.ts'
import { ENDED, type Families } from './families.ts'
import { createNewest, type Entries } from './newest.ts'

/** The owner of a token and the scopes it grants. */
export interface TokenOwner {
  /** The user who approved. */
  readonly user: User
  /** The granted scopes. */
  readonly scopes: readonly string[]
  /** The URI of the API that it is for. Absent if the client named none: it is then for this service's own routes. */
  readonly resource?: string
  /** The thumbprint of the key that it is bound to (RFC 9449). Absent for a bearer token. */
  readonly jkt?: string
  /** When the token expires, in epoch milliseconds. Absent if the host verifies it and does not say so. */
  readonly expiresAt?: number
}

/** What the store keeps about a token, under its hash. */
export interface AccessTokenRecord extends TokenOwner {
  /** The hash of the ID of the client that received it. */
  readonly client: string
  /** The family that it was issued with, if there are refresh tokens. */
  readonly family?: string
  /** The ID of the grant that it was issued for, if it has no family. */
  readonly grant?: string
  /** How often all tokens of the user had been revoked before the login. */
  readonly revocations: number
  /** Epoch milliseconds. Absent in records of earlier versions. */
  readonly issuedAt?: number
  /** Epoch milliseconds. Absent in records of earlier versions. */
  readonly expiresAt?: number
  /** How a poll may get the token again. Absent for a token from a refresh. */
  readonly delivery?: TokenDelivery
}

/** When a token may be delivered again. Epoch milliseconds. */
export interface TokenDelivery {
  /** When it was issued or removed, whichever came last. */
  readonly changedAt: number
  /** Until when the grant delivers it. */
  readonly until: number
  readonly expiresAt: number
  /** What ended the delivery before that. A removed token is kept for a while, so that no poll brings it back. */
  readonly endedBy?: 'use' | 'removal'
}

/** How many access tokens of a family are valid at a time. */
const MOST = 10

/** Keeps a hash of each token in the store. */
export function createTokens(
  {
    tokens,
    tokensOfFamily,
  }: { readonly tokens: Records<AccessTokenRecord>; readonly tokensOfFamily: Records<Entries> },
  families: Families,
  revocations: Revocations,
  clock: { now(): number },
) {
  const newest = createNewest(tokensOfFamily, MOST, clock)

  async function isValid({ user, family, revocations: counted }: AccessTokenRecord): Promise<boolean> {
    const [count, isOfFamily] = await Promise.all([
      revocations.count(user),
      family === undefined || families.isValid(family),
    ])
    return count === counted && isOfFamily
  }

  /** Removes a token from a family. The host may have issued the same token for another login since. */
  async function removeFrom(family: string, hashed: string): Promise<void> {
    await tokens.change(hashed, (known) =>
      known?.family === family ? { result: undefined, value: null } : { result: undefined },
    )
  }

  async function addToFamily({ family, delivery }: AccessTokenRecord, hashed: string, expiresAt: number) {
    if (family === undefined) return
    const isFirst = delivery !== undefined
    for (const oldest of await newest.add(family, hashed, expiresAt, isFirst))
      await removeFrom(family, oldest)
  }

  return {
    /**
     * Keeps the first token of a login, unless this login has kept it before.
     *
     * @returns Its hash, or none if nothing is kept, because the host verifies its tokens. `undefined` if the token must not
     *   be delivered: it was used or removed since.
     */
    async deliver(
      token: Secret,
      record: AccessTokenRecord,
      delivery: TokenDelivery,
    ): Promise<{ readonly hash: string | undefined } | undefined> {
      const { changedAt, expiresAt } = delivery
      const hashed = await hash(token.reveal())
      const first = { ...record, expiresAt, delivery }
      const isOpen = await tokens.change<boolean>(
        hashed,
        (known) => {
          if (known && isSameLogin(known, record))
            return { result: known.delivery !== undefined && known.delivery.endedBy === undefined }
          // By then, a removed token may be forgotten.
          if (clock.now() >= changedAt + ENDED) return { result: false }
          // The host issues one token to several logins, and a later one counts.
          if (known?.delivery && known.delivery.changedAt > changedAt) return { result: false }
          return { result: true, value: first, expiresAt }
        },
        null,
      )
      if (isOpen) await addToFamily(first, hashed, expiresAt)
      return isOpen ? { hash: hashed } : undefined
    },

    /**
     * Keeps a token until it expires. It ends the oldest token of its family if there are more than
     * ten, so that a client that refreshes again and again does not fill the store.
     */
    async keep(token: Secret, record: AccessTokenRecord & { readonly expiresAt: number }): Promise<void> {
      const hashed = await hash(token.reveal())
      await tokens.put(hashed, record, record.expiresAt)
      await addToFamily(record, hashed, record.expiresAt)
    },

    /** Finds a token that is valid, and ends its delivery. Of a token that the host verifies, only the owner is known. */
    async find(token: Secret): Promise<AccessTokenRecord | TokenOwner | undefined> {
      const hashed = await hash(token.reveal())
      const record = await tokens.change<AccessTokenRecord | undefined>(hashed, (known) => {
        const delivery = known?.delivery
        if (delivery?.endedBy === 'removal') return { result: undefined }
        if (!delivery || delivery.endedBy || clock.now() >= delivery.until) return { result: known }
        const used = { ...known, delivery: { ...delivery, endedBy: 'use' } } as const
        return { result: known, value: used, expiresAt: delivery.expiresAt }
      })
      return record && (await isValid(record)) ? record : undefined
    },

    async removeOf(family: string): Promise<void> {
      for (const hashed of await newest.clear(family)) await removeFrom(family, hashed)
    },

    /** Ends a token. Returns what was kept about it, under its hash. */
    async remove(hashed: string): Promise<AccessTokenRecord | undefined> {
      return tokens.change<AccessTokenRecord | undefined>(hashed, (known) => {
        if (known === undefined || known.delivery?.endedBy === 'removal') return { result: undefined }
        const now = clock.now()
        const delivery = { changedAt: now, until: now, expiresAt: now, endedBy: 'removal' } as const
        return { result: known, value: { ...known, delivery }, expiresAt: now + ENDED }
      })
    },
  }
}

export type Tokens = ReturnType<typeof createTokens>

/** The store keeps nothing about tokens that the host verifies. */
export function signedTokens(
  verify: (token: Secret) => TokenOwner | undefined | Promise<TokenOwner | undefined>,
): Tokens {
  const nothing = async () => undefined
  return {
    deliver: async () => ({ hash: undefined }),
    keep: nothing,
    remove: nothing,
    removeOf: nothing,
    // Without anything else that the host knows: a `client` would make it a record of ours.
    async find(token) {
      const owner = await verify(token)
      return owner && ownerOf(owner)
    },
  }
}

/** What is known of the owner of a token, and nothing else. */
export function ownerOf({ user, scopes, resource, jkt, expiresAt }: TokenOwner): TokenOwner {
  return {
    user,
    scopes,
    ...(resource !== undefined && { resource }),
    ...(jkt !== undefined && { jkt }),
    ...(expiresAt !== undefined && { expiresAt }),
  }
}

function isSameLogin(one: AccessTokenRecord, other: AccessTokenRecord): boolean {
  return one.family === other.family && one.grant === other.grant
}
