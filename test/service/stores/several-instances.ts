import { expect, test, vi } from 'vitest'
import type { Store } from '../../../src/service/index.ts'
import type { DatabaseServer } from '../../support/database-server.ts'
import { startService } from '../../support/start-service.ts'

/** A store in a database. */
interface ConnectedStore extends Store {
  ping(): Promise<void>
}

const later = () => Date.now() + 60_000
/** Adds one to a count, and returns what it was. */
export const increment = (store: Store) =>
  store.update('count', (value = 0) => ({ result: value, value: (value as number) + 1, expiresAt: later() }))
/** Reads the count. */
export const count = (store: Store) => store.update('count', (value) => ({ result: value }))

/** Tests of several instances that share a database. `open` opens the store of each. */
export function testSeveralInstances(open: () => readonly [Store, ...Store[]]): void {
  test('loses none of 200 concurrent changes', async () => {
    const stores = open()
    const seen = await Promise.all(
      Array.from({ length: 200 }, (_, index) => increment(stores[index % 4] ?? stores[0])),
    )
    expect(new Set(seen).size).toBe(200)
    expect(await count(stores[0])).toBe(200)
  })

  test('gives a record that is taken 200 times at once to one', async () => {
    const stores = open()
    for (const store of stores) await increment(store)
    const taken = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        (stores[index % 4] ?? stores[0]).update('count', (value) => ({
          result: value !== undefined,
          value: null,
        })),
      ),
    )
    expect(taken.filter(Boolean)).toHaveLength(1)
  })

  test('accepts one decision and issues one token of 200 concurrent ones', async () => {
    const services = open().map((store) => startService({ store, leeway: 0, clock: Date }))
    const [first] = services as [(typeof services)[0]]
    const at = (index: number) => services[index % 4] ?? first
    const { deviceCode, userCode } = await first.begin()
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        index % 3 === 0 ? at(index).deny(userCode) : at(index).approve(userCode, `user-${index}`),
      ),
    )
    const received = await Promise.all(Array.from({ length: 140 }, (_, index) => at(index).poll(deviceCode)))
    received.push(await first.poll(deviceCode))
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1)
    const approved = outcomes.indexOf('done') % 3 !== 0
    expect(received.filter(({ body }) => body.access_token)).toHaveLength(approved ? 1 : 0)
  })

  test('refreshes a token once of 100 concurrent times', async () => {
    const refreshTokens = { lifetime: 3600 }
    const services = open().map((store) => startService({ store, clock: Date, refreshTokens }))
    const [first] = services as [(typeof services)[0]]
    const { refresh_token } = await first.login()
    const pairs = await Promise.all(
      Array.from({ length: 100 }, (_, index) => (services[index % 4] ?? first).refresh(refresh_token)),
    )
    const issued = pairs.filter(({ status }) => status === 200)
    expect(new Set(issued.map(({ body }) => body.refresh_token)).size).toBe(1)
    expect(pairs.filter(({ status }) => status !== 200 && status !== 503)).toEqual([])
  })
}

/** Updates are rejected in time while the server is killed or frozen, and work again afterwards. */
export async function testUnreachable(
  how: 'killed' | 'frozen',
  server: DatabaseServer,
  store: ConnectedStore,
): Promise<void> {
  await vi.waitFor(() => increment(store), { timeout: 5000 })
  await (how === 'killed' ? server.kill() : server.freeze())
  const begin = performance.now()
  const refused = await Promise.allSettled([
    ...Array.from({ length: 50 }, () => increment(store)),
    store.ping(),
  ])
  expect(performance.now() - begin).toBeLessThan(10_000)
  for (const outcome of refused)
    expect(outcome).toMatchObject({
      reason: { code: 'store_unavailable', name: 'StoreUnavailableError' },
    })
  await (how === 'killed' ? server.start() : server.thaw())
  await vi.waitFor(() => store.ping(), { timeout: 5000 })
  if (how === 'killed') expect(await count(store)).toBe(1)
}
