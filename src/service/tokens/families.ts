import {
  type RefreshFamilyContext,
  type RefreshFamilyEvent,
  type RefreshFamilyInput,
  type RefreshFamilyState,
  refreshFamily,
} from '../../../machines/refresh-family.ts'
import { Secret } from '../../secret.ts'
import type { SealedText } from '../../store/encryption.ts'
import { readRefreshToken } from '../credentials/random-codes.ts'
import { createSteps } from '../grants/machine-steps.ts'
import { hash } from '../stores/hash.ts'
import type { Records } from '../stores/records.ts'
import { openPair, sealPair, type TokenPair } from './successors.ts'

/** Milliseconds for which a successor is kept beyond the reuse window: for requests that were held. */
const HELD = 10_000

/** Milliseconds for which a login that was revoked is remembered: longer than its first token may be delivered again. */
export const ENDED = 15 * 60 * 1000

/**
 * How refresh tokens are issued. Each is spent once: a refresh issues the next one. All refresh tokens of one login form
 * a family.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9700.html#section-4.14.2 RFC 9700, section 4.14.2}
 */
export interface RefreshTokens {
  /** Seconds after which the user must log in again, however often the tokens were refreshed. */
  readonly lifetime: number
  /**
   * Seconds for which a spent refresh token still gets the same successor, so that a client whose response was lost can
   * ask again. Default: 30. Within this time, a thief who holds the token gets the successor too, unnoticed. With 0, only
   * simultaneous requests get it, and a client that loses a response loses its login. A login keeps the window that it
   * began with.
   */
  readonly reuseWindow?: number
}

/** A family as the store keeps it: the state and the context of its machine, as plain JSON. */
export interface Family extends RefreshFamilyContext {
  readonly state: RefreshFamilyState
  readonly resource?: string
  readonly jkt?: string
  /** The number of its first refresh token that is bound to that key, if those before it were not. */
  readonly boundFrom?: number
  /** How often all tokens of the user had been revoked before the login. */
  readonly revocations: number
  /** A hash of what all its refresh tokens share, from its first refresh on. */
  readonly secret?: string
}

/** A refresh token that we issued, and its family as it was found. */
export interface KnownToken {
  readonly token: Secret
  readonly hash: string
  readonly id: string
  readonly generation: number
  readonly secret: Secret
  readonly family: Family
}

/** The claim of the request that issues the next pair of a family. */
export interface Claimed {
  readonly type: 'claimed'
  readonly claim: string
  /** When the claim ends. Epoch milliseconds. */
  readonly until: number
  readonly family: Family
}

/**
 * What becomes of a refresh token: `claimed`: the request with this claim issues the next pair; `held`: another request is issuing it; `replay`: the pair that was issued before; `busy`: no pair can be
 * had, although the request proves no reuse; `reuse`: it was spent before, and its family is now revoked; `refused`:
 * anything else.
 */
export type Refreshed =
  | Claimed
  | { readonly type: 'replay'; readonly pair: TokenPair }
  | { readonly type: 'held' | 'busy' | 'reuse' | 'refused' }

/** Creates, refreshes and revokes families. Each method is one atomic transition of the machine in the store. */
export function createFamilies(
  { families, successors }: { readonly families: Records<Family>; readonly successors: Records<SealedText> },
  clock: { now(): number },
) {
  const { begin, step } = createSteps<typeof refreshFamily, RefreshFamilyState>(refreshFamily)

  async function change(
    id: string,
    event: RefreshFamilyEvent,
    proven?: Pick<Family, 'secret' | 'jkt' | 'boundFrom'>,
  ) {
    return families.change<{ before: Family; after: Family } | undefined>(id, (before) => {
      if (before === undefined) return { result: undefined }
      const stepped = step(before, event)
      if (stepped === before) return { result: { before, after: before } }
      const after = { ...stepped, ...proven }
      const expiresAt = isOver(after) ? Math.min(after.expiresAt, clock.now() + ENDED) : after.expiresAt
      return { result: { before, after }, value: after, expiresAt }
    })
  }

  async function successorOf({ token, id }: KnownToken, { newest, generation }: Family) {
    const sealed = await successors.find(newest)
    return sealed && openPair(token, sealed, boundTo(id, generation))
  }

  return {
    /**
     * Begins a family with its first refresh token, unless it has begun with it before. Returns whether the family is valid
     * and was not refreshed yet. None begins long after it was issued (epoch milliseconds): one that has ended may be
     * forgotten by then.
     */
    async begin(
      first: Secret,
      { id, ...kept }: { readonly id: string } & Pick<Family, 'revocations' | 'resource' | 'jkt'>,
      issuedAt: number,
      input: Omit<RefreshFamilyInput, 'token'>,
    ): Promise<boolean> {
      const token = await hash(first.reveal())
      const { expiresAt } = input
      return families.change<boolean>(
        id,
        (family) => {
          if (family !== undefined) return { result: family.generation === 0 && !isOver(family) }
          if (clock.now() >= issuedAt + ENDED) return { result: false }
          return { result: true, value: { ...begin({ ...input, token }), ...kept }, expiresAt }
        },
        null,
      )
    },

    /** Finds a refresh token, however old. Returns `undefined` if it does not have the secret of a family. */
    async find(token: Secret): Promise<KnownToken | undefined> {
      const parts = readRefreshToken(token.reveal())
      const family = parts && (await families.find(parts.id))
      if (parts === undefined || family === undefined) return undefined
      const { id, generation } = parts
      const hashed = await hash(token.reveal())
      const isOurs =
        hashed === family.newest || hashed === family.previous || (await hash(parts.secret)) === family.secret
      return isOurs
        ? { id, generation, secret: new Secret(parts.secret), token, hash: hashed, family }
        : undefined
    },

    /**
     * Presents a refresh token to its family.
     *
     * @param held Whether this request was held before.
     */
    async refresh(known: KnownToken, claim: string, held: boolean): Promise<Refreshed> {
      const { id, generation, hash: token } = known
      const event = { type: 'refresh', at: clock.now(), claim, token, generation, held } as const
      const changed = await change(id, event)
      if (changed === undefined) return { type: 'refused' }
      const { before, after } = changed
      if (after.state === 'revoked' && !isOver(before)) return { type: 'reuse' }
      if (isOver(after)) return { type: 'refused' }
      if (after.claim?.id === claim)
        return { type: 'claimed', claim, until: after.claim.until, family: after }
      if (token === after.newest) return { type: 'held' }
      const pair = token === after.previous ? await successorOf(known, after) : undefined
      if (pair !== undefined) return { type: 'replay', pair }
      return { type: held || token === after.previous ? 'busy' : 'refused' }
    },

    /**
     * Makes a pair the successor of a refresh token. Returns whether the claim still held: deliver the pair only then. What
     * is stored of a pair that is not delivered opens nothing.
     *
     * @param bound What the refresh tokens are bound to from now on.
     */
    async issued(
      known: KnownToken,
      { claim, family }: Claimed,
      pair: TokenPair,
      bound: Pick<Family, 'jkt'>,
    ): Promise<boolean> {
      const { id, generation } = known
      const token = await hash(pair.refreshToken.reveal())
      const value = await sealPair(known.token, pair, boundTo(id, generation + 1))
      const expiresAt = clock.now() + family.reuseWindow * 1000 + HELD
      await successors.put(token, value, expiresAt)
      const isNewlyBound = bound.jkt !== undefined && family.jkt === undefined
      const proven = {
        ...bound,
        ...(isNewlyBound && { boundFrom: generation + 1 }),
        secret: await hash(known.secret.reveal()),
      }
      const event = { type: 'issued', at: clock.now(), claim, token } as const
      const changed = await change(id, event, proven)
      return changed?.after.newest === token
    },

    /**
     * Records that a pair could not be issued, which frees the refresh token. Returns whether the pair was issued after all:
     * the store may have applied a change and failed before it could say so.
     */
    async notIssued({ id }: KnownToken, { claim }: Claimed, pair?: TokenPair): Promise<boolean> {
      const changed = await change(id, { type: 'notIssued', at: clock.now(), claim })
      return pair !== undefined && changed?.after.newest === (await hash(pair.refreshToken.reveal()))
    },

    /** Ends a family, and returns it. Returns `undefined` if it was not valid. */
    async revoke(id: string): Promise<Family | undefined> {
      const changed = await change(id, { type: 'revoke', at: clock.now() })
      return changed && !isOver(changed.before) ? changed.after : undefined
    },

    async isValid(id: string): Promise<boolean> {
      const family = await families.find(id)
      return family !== undefined && !isOver(family)
    },
  }
}

export type Families = ReturnType<typeof createFamilies>

/**
 * What the refresh tokens of a client are bound to: the secret of the client, or else its key. RFC 9449, section 5.
 *
 * @param jkt The thumbprint of the key.
 */
export function ofFamily(
  client: { readonly secret: string | undefined },
  jkt: string | undefined,
): Pick<Family, 'jkt'> {
  return jkt !== undefined && client.secret === undefined ? { jkt } : {}
}

function isOver({ state }: Family): boolean {
  return state === 'revoked' || state === 'expired'
}

function boundTo(id: string, generation: number): string {
  return `${id} ${generation}`
}
