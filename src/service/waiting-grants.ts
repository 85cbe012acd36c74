import { ALLOWED, type Allowance, refuseUntil } from './allowance.ts'
import { networkOf } from './client-address.ts'
import type { Grant } from './grant-steps.ts'
import type { Limits } from './limits.ts'
import { COUNT_PREFIX, type Json, type Store } from './store.ts'

/** Parts that a lifetime is divided into: a grant that has expired is still counted for one of them at most. */
const PARTS = 16

/** Where all are counted. No network has this name. */
const ALL = 'all'

/**
 * Counts the grants that wait, in all and for each network. However many wait, a record holds one number for each part
 * of a lifetime: how many of them expire in it.
 *
 * @param expiresIn Seconds that a grant lives.
 */
export function createWaitingGrants(
  { waitingGrants, waitingGrantsInNetwork }: Pick<Limits, 'waitingGrants' | 'waitingGrantsInNetwork'>,
  expiresIn: number,
  store: Store,
  clock: { now(): number },
) {
  const lifetime = expiresIn * 1000
  const part = Math.ceil(lifetime / PARTS)
  const endOfPart = (at: number) => Math.ceil(at / part) * part

  async function add(subject: string, most: number): Promise<Allowance> {
    if (most === Number.POSITIVE_INFINITY) return ALLOWED
    return store.update<Allowance>(keyOf(subject), (value) => {
      const now = clock.now()
      const counts = new Map(countsIn(value).filter(([until]) => until > now))
      const waiting = [...counts.values()].reduce((sum, count) => sum + count, 0)
      if (waiting >= most) return { result: refuseUntil(Math.min(...counts.keys()), now) }
      const until = endOfPart(now + lifetime)
      counts.set(until, (counts.get(until) ?? 0) + 1)
      return { result: ALLOWED, value: [...counts], expiresAt: Math.max(...counts.keys()) }
    })
  }

  async function remove(subject: string, most: number, expiresAt: number): Promise<void> {
    if (most === Number.POSITIVE_INFINITY) return
    await store.update(keyOf(subject), (value) => {
      const counts = new Map(countsIn(value))
      // It was counted a moment before it was issued, which may have been in the part before.
      const until = Math.max(...[...counts.keys()].filter((end) => end <= endOfPart(expiresAt)))
      const count = counts.get(until)
      if (count === undefined) return { result: undefined }
      if (count > 1) counts.set(until, count - 1)
      else counts.delete(until)
      if (counts.size === 0) return { result: undefined, value: null }
      return { result: undefined, value: [...counts], expiresAt: Math.max(...counts.keys()) }
    })
  }

  async function removeAt(address: string | undefined, expiresAt: number): Promise<void> {
    await Promise.all([
      remove(ALL, waitingGrants, expiresAt),
      address !== undefined && remove(networkOf(address), waitingGrantsInNetwork, expiresAt),
    ])
  }

  return {
    /** Counts one more, unless too many wait. The network is that of the client's address, where it is known. */
    async add(address: string | undefined): Promise<Allowance> {
      const network = address === undefined ? undefined : networkOf(address)
      const inNetwork = network === undefined ? ALLOWED : await add(network, waitingGrantsInNetwork)
      if (!inNetwork.ok) return inNetwork
      const inAll = await add(ALL, waitingGrants)
      if (!inAll.ok && network !== undefined)
        await remove(network, waitingGrantsInNetwork, clock.now() + lifetime)
      return inAll
    },

    /** Counts one less: a grant was denied, or its token was fetched. Those that expire need not be told. */
    remove: ({ origin, expiresAt }: Pick<Grant, 'origin' | 'expiresAt'>) =>
      removeAt(origin?.address, expiresAt),

    /** Counts one less: after `add`, no grant could be issued. */
    giveBack: (address: string | undefined) => removeAt(address, clock.now() + lifetime),
  }
}

export type WaitingGrants = ReturnType<typeof createWaitingGrants>

/** How many grants expire before each end of a part (epoch milliseconds). */
function countsIn(value: Json | undefined): readonly (readonly [until: number, count: number])[] {
  return (value ?? []) as readonly (readonly [number, number])[]
}

function keyOf(subject: string): string {
  return `${COUNT_PREFIX}waitingGrants:${subject}`
}
