import { assign, type SnapshotFrom, setup } from 'xstate'
import type { User } from './device-grant.ts'
import { readEvents } from './read-events.ts'

/** How long one request may take to issue the next pair, in milliseconds, before another one may try. */
const CLAIM_TIME = 10_000

/** Input of the family machine. */
export interface RefreshFamilyInput {
  /** Identifies the client, such as a hash of its client ID. Not the client ID itself: that is a secret. */
  readonly client: string
  /** Who approved. */
  readonly user: User
  /** The granted scopes, separated by spaces. A refresh may ask for fewer, never for more. */
  readonly scope: string
  /** A hash of the first refresh token. */
  readonly token: string
  /** When the family expires, however often it is refreshed, in epoch milliseconds. */
  readonly expiresAt: number
  /** Seconds for which the previous refresh token still gets its successor: 0 for none. */
  readonly reuseWindow: number
}

/** What the service stores for one family: plain JSON. Points in time are epoch milliseconds. */
export interface RefreshFamilyContext extends Omit<RefreshFamilyInput, 'token'> {
  /** How often the family was refreshed: the number of its newest refresh token. */
  readonly generation: number
  /** A hash of the newest refresh token. */
  readonly newest: string
  /** A hash of the refresh token before it; `null` if there is none. */
  readonly previous: string | null
  /** When the newest refresh token replaced the previous one; `null` if there is none. */
  readonly rotatedAt: number | null
  /** The request that is issuing the next pair, and until when no other request may. */
  readonly claim: { readonly id: string; readonly until: number } | null
}

/** Events of a family. Each has its time `at` in epoch milliseconds: the machine does not read a clock. */
export type RefreshFamilyEvent =
  /**
   * A client presents a refresh token of this family. `token` is its hash and `generation` its number; `claim` identifies
   * this request, in case it becomes the one that issues the next pair. `held` says that the request has waited while
   * another one spent the same token.
   */
  | {
      readonly type: 'refresh'
      readonly at: number
      readonly claim: string
      readonly token: string
      readonly generation: number
      readonly held: boolean
    }
  /** The request with this claim has issued the next pair. `token` is a hash of the new refresh token. */
  | { readonly type: 'issued'; readonly at: number; readonly claim: string; readonly token: string }
  /** The request with this claim could not issue the next pair. */
  | { readonly type: 'notIssued'; readonly at: number; readonly claim: string }
  /** The user, the client or the host ends the family. */
  | { readonly type: 'revoke'; readonly at: number }

const on = readEvents<RefreshFamilyContext, RefreshFamilyEvent>()

/**
 * One chain of refresh tokens on the side of the service, from the login to its end.
 *
 * It has events only: run it with XState's pure `transition()` on the state in your store. Each refresh token is spent
 * once, and its successor replaces it. A token that is used again after it was replaced is a sign of theft, because two
 * parties hold it: the family is revoked. The previous token is an exception inside the reuse window, since a client whose
 * response was lost must ask again.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9700.html#section-4.14.2 RFC 9700, section 4.14.2}
 */
export const refreshFamily = setup({
  types: {} as {
    context: RefreshFamilyContext
    input: RefreshFamilyInput
    events: RefreshFamilyEvent
    tags: 'valid' | 'over'
    meta: { readonly text: string }
  },
  guards: {
    lifetimeOver: ({ context, event }) => event.at >= context.expiresAt,
    spendsNewest: on('refresh', ({ context, event }) => event.token === context.newest),
    spentElsewhere: on(
      'refresh',
      ({ context, event }) => event.token === context.newest && context.claim !== null && event.at < context.claim.until,
    ),
    replays: on(
      'refresh',
      ({ context: { previous, rotatedAt, reuseWindow }, event }) =>
        event.token === previous && rotatedAt !== null && event.at < rotatedAt + reuseWindow * 1000,
    ),
    // A request that was held came while its token was still the newest one. A token that is not older was never
    // delivered, because of a crash or a lost claim, or the store has lost the refresh that delivered it.
    provesNoReuse: on('refresh', ({ context, event }) => event.held || event.generation >= context.generation),
    // A late response counts unless another request has taken the claim since.
    claimIsOurs: on(['issued', 'notIssued'], ({ context, event }) => context.claim?.id === event.claim),
  },
  actions: {
    beginIssuing: assign(on('refresh', ({ event }) => ({ claim: { id: event.claim, until: event.at + CLAIM_TIME } }))),
    rotate: assign(
      on('issued', ({ context, event }) => ({
        generation: context.generation + 1,
        newest: event.token,
        previous: context.newest,
        rotatedAt: event.at,
        claim: null,
      })),
    ),
    endClaim: assign({ claim: null }),
  },
}).createMachine({
  id: 'refreshFamily',
  description: 'One chain of refresh tokens, on the side of the service.',
  context: ({ input: { token, ...given } }) => ({
    ...given,
    generation: 0,
    newest: token,
    previous: null,
    rotatedAt: null,
    claim: null,
  }),
  initial: 'active',
  states: {
    active: {
      description: 'The newest refresh token can be spent.',
      tags: 'valid',
      meta: { text: 'Logged in.' },
      on: {
        refresh: [
          { guard: 'lifetimeOver', target: 'expired', description: 'lifetime is over' },
          { guard: 'spendsNewest', target: 'issuing', actions: 'beginIssuing', description: 'newest token' },
          { guard: 'replays', target: 'active', description: 'previous token, inside the reuse window: same successor' },
          // A held request gets the same successor; any other is refused.
          { guard: 'provesNoReuse', target: 'active', description: 'may be an honest retry' },
          { target: 'revoked', description: 'older token: reuse' },
        ],
        revoke: 'revoked',
      },
    },
    issuing: {
      description: 'One request is issuing the next pair; others with the same token are held.',
      tags: 'valid',
      meta: { text: 'Refreshing the login.' },
      on: {
        refresh: [
          { guard: 'lifetimeOver', target: 'expired', description: 'lifetime is over' },
          { guard: 'spentElsewhere', target: 'issuing', description: 'newest token: held' },
          { guard: 'spendsNewest', target: 'issuing', actions: 'beginIssuing', description: 'claim has expired: taken over' },
          { guard: 'replays', target: 'issuing', description: 'previous token, inside the reuse window: same successor' },
          { guard: 'provesNoReuse', target: 'issuing', description: 'may be an honest retry' },
          { target: 'revoked', description: 'older token: reuse' },
        ],
        issued: { guard: 'claimIsOurs', target: 'active', actions: 'rotate', description: 'claim still holds' },
        notIssued: { guard: 'claimIsOurs', target: 'active', actions: 'endClaim', description: 'claim still holds' },
        revoke: 'revoked',
      },
    },
    revoked: {
      type: 'final',
      description: 'A logout, your server or a reused token ended the family.',
      tags: 'over',
      meta: { text: 'Logged out.' },
    },
    expired: {
      type: 'final',
      description: 'The lifetime of the family is over.',
      tags: 'over',
      meta: { text: 'The login has expired.' },
    },
  },
})

/** The states of a family. */
export type RefreshFamilyState = SnapshotFrom<typeof refreshFamily>['value']
