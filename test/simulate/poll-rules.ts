import type { Truth } from './judge.ts'
import type { Exchange } from './world.ts'

/** A poll with its response. Times are epoch milliseconds. */
interface Poll {
  readonly exchange: Exchange
  readonly truth: Truth
  /** What was decided before it arrived. */
  readonly before: 'approved' | 'denied' | undefined
  /** Whether another poll has the lease, or this one had it and failed for a reason that is known. */
  readonly isExcused: boolean
  /** Whom the token stands for. */
  readonly owner: string | undefined
  readonly now: number
  /** When its codes expire, by the slowest and by the fastest clock of an instance. */
  readonly lastEnd: number
  readonly firstEnd: number
}

/** What must hold of a poll with each result, named by what is wrong if it does not. */
export const POLL_RULES: Readonly<Record<string, Readonly<Record<string, (poll: Poll) => boolean>>>> = {
  token: {
    'a grant has brought a second token': ({ truth }) => truth.tokens.size === 1,
    'a token was delivered under the claim of another poll': ({ truth, exchange }) =>
      truth.settledBy === exchange.id,
    'a token stands for another user': ({ truth, owner }) => truth.decided?.user === owner,
  },
  authorization_pending: {
    'a code was still pending after its end': ({ exchange, lastEnd }) => exchange.arrivedAt <= lastEnd,
    // A poll that came as the codes expired loses its lease to another one, which is told that they have.
    'an approved grant was said to be pending': ({ before, isExcused, truth }) =>
      before !== 'approved' || isExcused || truth.grant?.state === 'expired',
    'a denied grant was said to be pending': ({ before }) => before !== 'denied',
  },
  slow_down: {
    'a decision hid behind slow_down': ({ before }) => before === undefined,
  },
  access_denied: {
    'a device was told of a denial that there is not': ({ truth }) => truth.decided?.state === 'denied',
  },
  expired_token: {
    'a code was said to have expired early': ({ now, firstEnd }) => now >= firstEnd,
  },
  incorrect_device_code: {
    'a code was unknown that holds': ({ truth }) => truth.settledBy !== undefined,
  },
}
