import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { StoreUnavailableError } from '../../../src/service/index.ts'
import { type DatabaseStoreOptions, type RedisClient, redisStore } from '../../../src/service/stores/redis.ts'
import { breakableRelay } from '../../support/breakable-relay.ts'
import type { DatabaseServer } from '../../support/database-server.ts'
import { freePort } from '../../support/free-port.js'
import { hasRedis, startRedis } from '../../support/redis-server.js'
import { startService } from '../../support/start-service.ts'
import { count, databaseContract, increment } from './database-contract.ts'

let redis: DatabaseServer
let services = 0

beforeAll(async () => {
  if (hasRedis) redis = await startRedis()
})
afterAll(() => redis?.stop())

const newPrefix = () => `service-${services++}:`

/** A store with its own keys and a long timeout for many concurrent updates, closed after the test. */
function storeAt(server: string | RedisClient = redis.url, options: DatabaseStoreOptions = {}) {
  const store = redisStore(server, { prefix: newPrefix(), timeout: 30, ...options })
  onTestFinished(store.close)
  return store
}

/** A connected client, closed after the test. */
async function newClient() {
  const client = createClient({ url: redis.url, disableOfflineQueue: true }).on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.destroy())
  return client
}

/** A client of the host that takes another way for some commands. */
async function clientWith(own: (client: RedisClient) => Partial<RedisClient>): Promise<RedisClient> {
  const client = await newClient()
  return {
    get: (key) => client.get(key),
    evalSha: (sha1, options) => client.evalSha(sha1, options),
    eval: (script, options) => client.eval(script, options),
    ...own(client),
  }
}

describe.skipIf(!hasRedis)('redisStore', () => {
  databaseContract(() => {
    const shared = newPrefix()
    return ({ prefix = '' } = {}) => storeAt(redis.url, { prefix: shared + prefix })
  })

  test('receives few commands for a token, and for a refresh', async () => {
    const sent: string[] = []
    const counted = await clientWith((client) => ({
      get: (key) => {
        sent.push(`GET ${key}`)
        return client.get(key)
      },
      evalSha: (sha1, options) => {
        sent.push(`EVALSHA ${options.keys}`)
        return client.evalSha(sha1, options)
      },
    }))
    const refreshTokens = { lifetime: 3600 }
    const service = startService({ store: storeAt(counted), clock: Date, refreshTokens })
    // The first one finds an empty store.
    await service.login()
    const { poll } = await service.approved()
    sent.length = 0
    const { body } = await poll()
    await vi.waitFor(() => expect(sent).toContainEqual(expect.stringMatching(/^EVALSHA .*generation/)))
    expect(sent.length, sent.join('\n')).toBeLessThanOrEqual(11)
    sent.length = 0
    expect((await service.refresh(body.refresh_token)).status).toBe(200)
    expect(sent.length, sent.join('\n')).toBeLessThanOrEqual(10)
  })

  describe('the data in Redis', () => {
    test('has one key each, with the prefix and a hash tag', async () => {
      const client = await newClient()
      const service = startService({ store: storeAt(client, { prefix: 'mine:' }), clock: Date })
      await service.begin()
      const keys = (await client.keys('mine:*')).sort()
      expect(keys).toEqual([
        expect.stringMatching(/^mine:\{grant:[0-9a-f]{64}\}$/),
        'mine:{limit:grantsInAll:all}',
        expect.stringMatching(/^mine:\{user-code:[A-Z]{4}-[A-Z]{4}\}$/),
      ])
    })

    test('is expired by Redis, whatever the time of the service', async () => {
      const client = await newClient()
      const store = storeAt(client, { prefix: 'ttl:', clock: { now: () => 1000 } })
      await store.update('key', () => ({ result: 0, value: 1, expiresAt: 61_000 }))
      await store.update('late', () => ({ result: 0, value: 1, expiresAt: 1 }))
      const left = await client.pTTL('ttl:{key}')
      expect(left).toBeGreaterThan(50_000)
      expect(left).toBeLessThanOrEqual(60_000)
      await vi.waitFor(async () => expect(await client.exists('ttl:{late}')).toBe(0))
    })
  })

  test('keeps working after Redis lost its scripts', async () => {
    const client = await newClient()
    const store = storeAt(client)
    await increment(store)
    await client.sendCommand(['SCRIPT', 'FLUSH'])
    await increment(store)
    expect(await count(store)).toBe(2)
  })

  describe('a connection that breaks', () => {
    test('before the response to a change does not apply it twice', async () => {
      const relay = await breakableRelay(redis.port)
      onTestFinished(relay.close)
      const store = storeAt(relay.url)
      await increment(store)
      relay.swallowResponseTo('EVALSHA')
      expect(await increment(store)).toBe(1)
      expect(await count(store)).toBe(2)
    })

    test.each([
      ['after a change was sent leaves it undecided', 'lost', StoreUnavailableError],
      ['before a change is sent leaves no doubt about it', 'ENOTCONN', 1],
      ['because too many commands wait leaves no doubt about it', 'ENOBUFS', 1],
    ])('%s', async (_, code, expected) => {
      const prefix = newPrefix()
      const other = storeAt(redis.url, { prefix })
      let isBreaking = true
      const broken = await clientWith((client) => ({
        async evalSha(sha1, options) {
          if (!isBreaking) return client.evalSha(sha1, options)
          isBreaking = false
          await increment(other)
          throw Object.assign(new Error(), { code })
        },
      }))
      const update = increment(storeAt(broken, { prefix }))
      if (expected === 1) expect(await update).toBe(1)
      else await expect(update).rejects.toThrow(StoreUnavailableError)
    })
  })

  describe('a connection that stays open, but silent', () => {
    test.each(['before its first command', 'when it has been used'])('%s is replaced', async (when) => {
      const relay = await breakableRelay(redis.port)
      onTestFinished(relay.close)
      const store = storeAt(relay.url, { timeout: 0.3 })
      if (when === 'when it has been used') await vi.waitFor(() => increment(store), { timeout: 30_000 })
      relay.silence(true)
      await expect(increment(store)).rejects.toThrow(StoreUnavailableError)
      relay.silence(false)
      await vi.waitFor(() => increment(store), { timeout: 30_000 })
    })

    test('is sent 2,000 commands at most, also through a client of the host', async () => {
      const sent: (() => void)[] = []
      const silent = await clientWith(() => ({
        get: () => new Promise((resolve) => sent.push(() => resolve(null))),
      }))
      const store = storeAt(silent, { timeout: 1 })
      const read = () => store.update('key', () => ({ result: 'read' })).catch((error) => error.message)
      const refused = await Promise.all(Array.from({ length: 2500 }, read))
      refused.push(await read())
      expect(sent).toHaveLength(2000)
      expect(new Set(refused.slice(2000))).toEqual(new Set(['Redis is not available: ENOBUFS']))
      for (const respond of sent) respond()
      const again = read()
      await vi.waitFor(() => expect(sent).toHaveLength(2001))
      sent.at(-1)?.()
      expect(await again).toBe('read')
    })
  })

  test('that refuses writes is not ready', async () => {
    const client = await newClient()
    onTestFinished(async () => void (await client.configSet('maxmemory', '0')))
    const store = storeAt(client, { timeout: 0.3 })
    await store.ping()
    await client.configSet('maxmemory', '1')
    await expect(store.ping()).rejects.toThrow('Redis is not available: OOM')
  })

  test('sends nothing through a client without a connection', async () => {
    const store = storeAt(await clientWith(() => ({ isReady: false })), { timeout: 0.1 })
    await expect(increment(store)).rejects.toThrow('Redis is not available: ENOTCONN')
  })

  test.each<[string, () => Promise<string>]>([
    ['ECONNREFUSED', async () => `redis://127.0.0.1:${await freePort()}`],
    ['WRONGPASS', async () => `redis://user:hunter2@127.0.0.1:${redis.port}`],
  ])('reports %s, without the secret in the URL', async (reason, url) => {
    const store = storeAt(await url(), { timeout: 1 })
    // Until the first attempt to connect has failed, there is no connection for a reason that is not known yet.
    const refused = await vi.waitFor(
      async () => {
        const refused = await store.ping().catch(String)
        expect(refused).not.toContain('ENOTCONN')
        return refused
      },
      { timeout: 30_000 },
    )
    expect(refused).toContain(`Redis is not available: ${reason}`)
    expect(refused).not.toContain('hunter2')
  })

  test('opens one connection for commands that begin at once, and closes only that', async () => {
    const client = await newClient()
    await client.clientSetName('handed-in')
    const before = (await client.clientList()).length
    const store = redisStore(redis.url)
    await Promise.all([increment(store), increment(store), increment(store)])
    expect((await client.clientList()).length).toBe(before + 1)
    await store.close()
    await vi.waitFor(async () => expect((await client.clientList()).length).toBe(before))
    await redisStore(client).close()
    expect(client.isOpen).toBe(true)
  })
})

test.each(['http://127.0.0.1', 'localhost:6379', 'redis://[', 'https://redis://127.0.0.1', ''])(
  'refuses %j as a URL',
  (address) => {
    expect(() => redisStore(address)).toThrow('the Redis URL must start with redis:// or rediss://')
  },
)

test.each([{ url: 'redis://127.0.0.1' }, undefined, null, 6379])('refuses %j instead of a URL', (options) => {
  expect(() => redisStore(options as never)).toThrow(
    expect.objectContaining({ code: 'bad_option', message: expect.stringContaining('redis://127.0.0.1') }),
  )
})

test('refuses the package "redis" before version 5, whose clients have no close()', async () => {
  vi.doMock('redis', () => ({
    createClient: () => ({ on: () => undefined, connect: async () => undefined }),
  }))
  onTestFinished(() => void vi.doUnmock('redis'))
  const store = redisStore('redis://127.0.0.1:1')
  await expect(store.ping()).rejects.toMatchObject({
    code: 'bad_option',
    message: expect.stringContaining('version 5 or later'),
  })
  await store.close()
})
