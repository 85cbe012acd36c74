import { expect, test } from 'vitest'
import { Secret } from '../../src/secret.ts'
import { memoryStore, type ServiceOptions } from '../../src/service/index.ts'
import { formSecret } from '../../src/service/page/form-secret.ts'
import { createRecords } from '../../src/service/records.ts'
import { HOST, startService } from '../support/start-service.ts'
import { formOf } from '../support/user.ts'

const PAGE = `${HOST}/login/device`
const DAY = 24 * 60 * 60 * 1000
const SECRET = 'x'.repeat(32)

/** Takes a form from the page of one service and sends it to another. Returns the response status. */
async function carry(from: Partial<ServiceOptions>, to: Partial<ServiceOptions>): Promise<number> {
  const { cookie, csrf } = await formOf(await startService(from).fetch(PAGE))
  const body = new URLSearchParams({ csrf, user_code: 'BCDF-GHJK' })
  const headers = { cookie, origin: HOST }
  return (await startService(to).fetch(PAGE, { method: 'POST', headers, body })).status
}

const store = memoryStore({ clock: { now: () => 0 } })

test.each<[string, Partial<ServiceOptions>, Partial<ServiceOptions>, status: number]>([
  ['the same store', { store }, { store }, 404],
  ['the same secret', { secret: SECRET }, { secret: new Secret(SECRET) }, 404],
  ['another store', {}, {}, 403],
  ['another secret', { secret: SECRET }, { secret: `${SECRET}x` }, 403],
])(
  'a form of one instance is sent to one with %s: it is accepted, or refused with 403',
  async (_, from, to, status) => {
    expect(await carry(from, to)).toBe(status)
  },
)

test('a configured secret is not stored', async () => {
  const store = memoryStore()
  await carry({ secret: SECRET, store }, { secret: SECRET, store })
  expect(await store.update('form-secret', (value) => ({ result: value }))).toBeUndefined()
})

test('instances that start at the same time all use the secret of the first', async () => {
  const records = createRecords(memoryStore()).formSecret
  const secrets = await Promise.all(Array.from({ length: 5 }, () => formSecret(undefined, records, Date)()))
  expect(new Set(secrets).size).toBe(1)
  expect(secrets[0]).toMatch(/^[0-9a-f]{64}$/)
})

test('a random secret is replaced after thirty days, on every instance within ten seconds', async () => {
  const clock = { time: 0, now: () => clock.time }
  const secret = formSecret(undefined, createRecords(memoryStore({ clock })).formSecret, clock)
  const first = await secret()
  clock.time = 30 * DAY - 1
  expect(await secret()).toBe(first)
  clock.time = 30 * DAY + 10_000
  expect(await secret()).not.toBe(first)
})
