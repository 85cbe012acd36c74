import type { Json, Store } from '../store/store.ts'
import { ALLOWED, type Allowance, refuseUntil } from './allowance.ts'
import { networkOf } from './client-address.ts'
import type { Grant } from './grant-steps.ts'
import type { Limits } from './limits.ts'
import { COUNT_PREFIX } from './store-keys.ts'

/** A lifetime is divided into this many parts. An expired grant is still counted for at most one of them. */
const PARTS = 16

/** The key under which all grants are counted. No network has this name. */
const ALL = 'all'

/** The limits that are counted here. */
type Kind = 'waitingGrants' | 'waitingGrantsInNetwork'

/**
 * Counts waiting grants, in total and per network. A record has a fixed size: for each part of a lifetime, it holds how
 * many grants expire in it.
 *
 * @param longest The longest lifetime of a grant in seconds.
 */
export function createWaitingGrants(
  limits: Pick<Limits, Kind>,
  longest: number,
  store: Store,
  clock: { now(): number },
) {
  const part = Math.ceil((longest * 1000) / PARTS)
  const endOfPart = (at: number) => Math.ceil(at / part) * part

  async function add(subject: string, kind: Kind, expiresIn: number): Promise<Allowance> {
    const most = limits[kind]
    if (most === Number.POSITIVE_INFINITY) return ALLOWED
    return store.update<Allowance>(keyOf(subject), (value) => {
      const now = clock.now()
      const counts = new Map(countsIn(value).filter(([until]) => until > now))
      const waiting = [...counts.values()].reduce((sum, count) => sum + count, 0)
      if (waiting >= most) return { result: refuseUntil(kind, Math.min(...counts.keys()), now) }
      const until = endOfPart(now + expiresIn * 1000)
      counts.set(until, (counts.get(until) ?? 0) + 1)
      return { result: ALLOWED, value: [...counts], expiresAt: Math.max(...counts.keys()) }
    })
  }

  async function remove(subject: string, kind: Kind, expiresAt: number): Promise<void> {
    if (limits[kind] === Number.POSITIVE_INFINITY) return
    await store.update(keyOf(subject), (value) => {
      const counts = new Map(countsIn(value))
      // A grant is counted a moment before it is issued, possibly still in the previous part.
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
      remove(ALL, 'waitingGrants', expiresAt),
      address !== undefined && remove(networkOf(address), 'waitingGrantsInNetwork', expiresAt),
    ])
  }

  return {
    /**
     * Counts one more grant, unless too many wait. The address of the client may be unknown.
     *
     * @param expiresIn Seconds until this grant expires, at most the longest lifetime.
     */
    async add(address: string | undefined, expiresIn: number): Promise<Allowance> {
      const network = address === undefined ? undefined : networkOf(address)
      const inNetwork =
        network === undefined ? ALLOWED : await add(network, 'waitingGrantsInNetwork', expiresIn)
      if (!inNetwork.ok) return inNetwork
      const inAll = await add(ALL, 'waitingGrants', expiresIn)
      if (!inAll.ok && network !== undefined)
        await remove(network, 'waitingGrantsInNetwork', clock.now() + expiresIn * 1000)
      return inAll
    },

    /** Counts one grant less, after it was denied or its token was issued. Expired grants drop out automatically. */
    remove: ({ origin, expiresAt }: Pick<Grant, 'origin' | 'expiresAt'>) =>
      removeAt(origin?.address, expiresAt),

    /** Takes back an `add` after which no grant could be issued. */
    giveBack: (address: string | undefined, expiresIn: number) =>
      removeAt(address, clock.now() + expiresIn * 1000),
  }
}

export type WaitingGrants = ReturnType<typeof createWaitingGrants>

/** For each part of a lifetime: its end (epoch milliseconds), and how many grants expire in it. */
function countsIn(value: Json | undefined): readonly (readonly [until: number, count: number])[] {
  return (value ?? []) as readonly (readonly [number, number])[]
}

function keyOf(subject: string): string {
  return `${COUNT_PREFIX}waitingGrants:${subject}`
}
