import { createClient, createCluster } from 'redis'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { authorizeDevice, github } from '../../../src/index.ts'
import { StoreUnavailableError } from '../../../src/service/index.ts'
import {
  type RedisClient,
  type RedisStoreOptions,
  redisStore,
  type ScriptOptions,
} from '../../../src/service/stores/redis.ts'
import { type SharedStore, storeContract } from '../../../src/testing/index.ts'
import { buildProgram, startProgram } from '../../session/support/start-program.ts'
import { breakableRelay } from '../../support/breakable-relay.ts'
import type { DatabaseServer } from '../../support/database-server.ts'
import { fastClock } from '../../support/fast-clock.ts'
import { hasRedis, startRedis } from '../../support/redis-server.js'
import { CLIENT_ID, startService } from '../../support/start-service.ts'
import { count, increment, testSeveralInstances, testUnreachable } from './several-instances.ts'

// Starts, kills and awaits servers.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let redis: DatabaseServer
let clusterRedis: DatabaseServer
let services = 0

beforeAll(async () => {
  if (!hasRedis) return
  redis = await startRedis()
  clusterRedis = await startRedis('cluster')
  const client = await createClient({ url: clusterRedis.url }).connect()
  await client.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', '0', '16383'])
  await vi.waitFor(
    async () => expect(await client.sendCommand(['CLUSTER', 'INFO'])).toContain('cluster_state:ok'),
    {
      timeout: 10_000,
    },
  )
  await client.close()
})

afterAll(async () => {
  await redis?.stop()
  await clusterRedis?.stop()
})

/** A store with its own keys and a long timeout for many concurrent updates, closed after the test. */
function storeAt(server: string | RedisClient = redis.url, options: RedisStoreOptions = {}) {
  services += 1
  const store = redisStore(server, { prefix: `service-${services}:`, timeout: 30, ...options })
  onTestFinished(store.close)
  return store
}

/** A store with a short timeout that has already connected once. */
async function impatientStoreAt(server: string | RedisClient, options: RedisStoreOptions = {}) {
  const store = storeAt(server, { timeout: 0.6, ...options })
  await vi.waitFor(() => store.ping(), { timeout: 30_000 })
  return store
}

/** A connected client, closed after the test. */
async function clientOf(server: DatabaseServer) {
  const client = createClient({ url: server.url, disableOfflineQueue: true }).on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.destroy())
  return client
}

/** A separate Redis that the test may kill. */
async function mortalRedis() {
  const server = await startRedis('kept')
  onTestFinished(server.stop)
  return server
}

/** A client that counts its commands. */
function counting({ get, evalSha, eval: evaluate }: RedisClient) {
  const asked: string[] = []
  const client: RedisClient = {
    get: (key) => {
      asked.push('get')
      return get(key)
    },
    evalSha: (sha1, options) => {
      asked.push('evalSha')
      return evalSha(sha1, options)
    },
    eval: evaluate,
  }
  return { client, asked }
}

function boundTo(client: RedisClient): RedisClient {
  return {
    get: (key) => client.get(key),
    evalSha: (sha1, options) => client.evalSha(sha1, options),
    eval: (script, options) => client.eval(script, options),
  }
}

describe.skipIf(!hasRedis)('redisStore', () => {
  describe.each([
    ['an address', storeContract(() => storeAt(), { shared: sharedByProcesses })],
    ['a client', storeContract(async () => storeAt(await clientOf(redis)))],
    ['a cluster', storeContract(clusterStore)],
  ])('redisStore with %s as a store', (_, contract) => {
    for (const { name, run } of contract) test(name, run)
  })

  async function sharedByProcesses(): Promise<SharedStore> {
    await buildProgram()
    const store = storeAt()
    const prefix = `service-${services}:`
    return { store, start: () => startProgram('count-in-redis', redis.url, prefix).child }
  }

  async function clusterStore() {
    const cluster = createCluster({
      rootNodes: [{ url: clusterRedis.url }],
      defaults: { disableOfflineQueue: true },
    }).on('error', () => undefined)
    await cluster.connect()
    onTestFinished(() => cluster.destroy())
    return storeAt(cluster)
  }

  describe('with several instances', () => {
    const shared = () => {
      const prefix = `shared-${services}:`
      const open = () => storeAt(redis.url, { prefix })
      return [open(), open(), open(), open()] as const
    }

    testSeveralInstances(shared)
  })

  describe('the cost of a poll', () => {
    async function counted() {
      const { client, asked } = counting(boundTo(await clientOf(redis)))
      const service = startService({ store: storeAt(client), clock: Date })
      const grant = await service.begin()
      await grant.poll()
      asked.length = 0
      return { service, asked, ...grant }
    }

    test('is two round trips while the grant changes', async () => {
      const { asked, poll } = await counted()
      expect((await poll()).body.error).toBe('slow_down')
      expect(asked).toEqual(['get', 'evalSha'])
    })

    test('is one round trip while it does not', async () => {
      const { service, asked, poll, userCode } = await counted()
      await service.deny(userCode)
      asked.length = 0
      expect((await poll()).body.error).toBe('access_denied')
      expect(asked).toEqual(['get'])
    })

    test('does not grow with concurrent reads', async () => {
      const client = await clientOf(redis)
      const { client: watched, asked } = counting(boundTo(client))
      const prefix = 'conflict:'
      const other = storeAt(client, { prefix })
      await increment(other)
      const store = storeAt(
        {
          ...watched,
          get: async (key) => {
            const raw = await watched.get(key)
            await increment(other)
            return raw
          },
        },
        { prefix },
      )
      expect(await increment(store)).toBe(2)
      expect(asked).toEqual(['get', 'evalSha', 'evalSha'])
    })
  })

  describe('the data in Redis', () => {
    test('has one key each, with the prefix and a hash tag', async () => {
      const client = await clientOf(redis)
      const service = startService({ store: storeAt(client, { prefix: 'mine:' }), clock: Date })
      await service.begin()
      const keys = (await client.keys('mine:*')).sort()
      expect(keys).toEqual([
        expect.stringMatching(/^mine:\{grant:[0-9a-f]{64}\}$/),
        'mine:{limit:grantsInAll:all}',
        expect.stringMatching(/^mine:\{user-code:[A-Z]{4}-[A-Z]{4}\}$/),
      ])
    })

    test('is expired by Redis', async () => {
      const client = await clientOf(redis)
      const store = storeAt(client, { prefix: 'ttl:' })
      await store.update('key', () => ({ result: 0, value: 1, expiresAt: Date.now() + 60_000 }))
      const left = await client.pTTL('ttl:{key}')
      expect(left).toBeGreaterThan(50_000)
      expect(left).toBeLessThanOrEqual(60_000)
    })

    test('also expires by the clock of the service', async () => {
      const clock = { time: 1000, now: () => clock.time }
      const store = storeAt(redis.url, { clock })
      await store.update('key', () => ({ result: 0, value: 'kept', expiresAt: 61_000 }))
      clock.time = 60_999
      expect(await store.update('key', (value) => ({ result: value }))).toBe('kept')
      clock.time = 61_000
      expect(await store.update('key', (value) => ({ result: value }))).toBeUndefined()
    })

    test('is separated by the prefix', async () => {
      const [one, two] = [storeAt(), storeAt()]
      await increment(one)
      expect(await count(two)).toBeUndefined()
    })
  })

  test('keeps working after Redis lost its scripts', async () => {
    const client = await clientOf(redis)
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

    test('before the response to a change that another instance then replaces rejects as undecided', async () => {
      const prefix = 'doubt:'
      const client = await clientOf(redis)
      const other = storeAt(client, { prefix })
      let breaking = true
      const store = storeAt(
        {
          ...boundTo(client),
          evalSha: async (sha1: string, options: ScriptOptions) => {
            const response = await client.evalSha(sha1, options)
            if (!breaking) return response
            breaking = false
            await increment(other)
            throw new Error('the connection broke')
          },
        },
        { prefix },
      )
      await increment(other)
      await expect(increment(store)).rejects.toThrow(StoreUnavailableError)
      expect(await count(other)).toBe(3)
    })

    test('before a change is sent leaves no doubt about it', async () => {
      const prefix = 'unsent:'
      const client = await clientOf(redis)
      const other = storeAt(client, { prefix })
      let asked = 0
      const store = storeAt(
        {
          ...boundTo(client),
          // Of the read, of the change, and of the change that is tried again.
          get isReady() {
            asked += 1
            return asked !== 2
          },
          get: async (key) => {
            const raw = await client.get(key)
            await increment(other)
            return raw
          },
        },
        { prefix },
      )
      expect(await increment(store)).toBe(1)
    })

    test('before the response to the last step of a login still delivers the token once', async () => {
      const relay = await breakableRelay(redis.port)
      onTestFinished(relay.close)
      const service = startService({ store: storeAt(relay.url), clock: Date })
      const { poll, userCode } = await service.begin()
      await service.approve(userCode, 'octocat')
      relay.swallowResponseTo('"authorized"')
      const { access_token } = (await poll()).body
      expect((await service.whoIs(access_token)).body.login).toBe('octocat')
      expect((await poll()).body.error).toBe('incorrect_device_code')
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
      const silent: RedisClient = {
        ...boundTo(await clientOf(redis)),
        get: () => new Promise((resolve) => sent.push(() => resolve(null))),
      }
      const store = storeAt(silent, { timeout: 0.2 })
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

  describe('while Redis is unreachable', () => {
    test.each<['killed' | 'frozen']>([['killed'], ['frozen']])(
      '(%s) an update is rejected within the timeout',
      async (how) => {
        const server = await mortalRedis()
        const store = await impatientStoreAt(server.url)
        await testUnreachable(how, server, store)
      },
    )

    test('concurrent pings share one result', async () => {
      const { client, asked } = counting(boundTo(await clientOf(redis)))
      const store = storeAt(client)
      await Promise.all(Array.from({ length: 1000 }, () => store.ping()))
      await store.ping()
      expect(asked).toEqual(['get', 'evalSha', 'get', 'evalSha'])
    })

    test('or refuses writes, the store is not ready', async () => {
      const server = await mortalRedis()
      const client = await clientOf(server)
      const store = await impatientStoreAt(server.url, { timeout: 2 })
      await expect(store.ping()).resolves.toBeUndefined()
      await client.configSet('maxmemory', '1')
      await expect(store.ping()).rejects.toThrow('Redis is not available: OOM')
      await client.configSet('maxmemory', '0')
      await expect(store.ping()).resolves.toBeUndefined()
    })

    test('a client passed by the host queues no commands', async () => {
      const server = await mortalRedis()
      const client = await clientOf(server)
      const store = await impatientStoreAt(client)
      await increment(store)
      await server.kill()
      await vi.waitFor(() => expect(client.isReady).toBe(false))
      await expect(increment(store)).rejects.toThrow('Redis is not available: ENOTCONN')
      await server.start()
      await vi.waitFor(() => store.ping(), { timeout: 30_000 })
      expect(await count(store)).toBe(1)
    })

    test('every client is asked to retry', async () => {
      const server = await mortalRedis()
      const service = startService({ store: await impatientStoreAt(server.url), clock: Date })
      const { poll, userCode } = await service.begin()
      await server.kill()
      const responses = await Promise.all([poll(), service.askForCodes(), service.whoIs('gho_any')])
      for (const { status, headers, body } of responses) {
        expect(status).toBe(503)
        expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
        expect(body.error).toBe('temporarily_unavailable')
      }
      await expect(service.approve(userCode, 'octocat')).rejects.toThrow(StoreUnavailableError)
      expect(service.errors).toHaveLength(3)
    })

    test('the reason is reported without the secret in the URL', async () => {
      const free = await mortalRedis()
      await free.kill()
      // Until the first attempt to connect has failed, there is no connection for a reason that is not known yet.
      const reasonOf = (store: ReturnType<typeof redisStore>) =>
        vi.waitFor(
          async () => {
            const refused = await store.ping().catch(String)
            expect(refused).not.toContain('ENOTCONN')
            return refused
          },
          { timeout: 30_000 },
        )
      expect(await reasonOf(storeAt(free.url, { timeout: 1 }))).toContain('not available: ECONNREFUSED')
      const refused = await reasonOf(storeAt(`redis://user:hunter2@127.0.0.1:${redis.port}`, { timeout: 1 }))
      expect(refused).toContain('not available: WRONGPASS')
      expect(refused).not.toContain('hunter2')
    })

    test('a Redis that refuses writes is reported with its error code', async () => {
      const server = await mortalRedis()
      const client = await clientOf(server)
      const store = await impatientStoreAt(client, { timeout: 2 })
      await client.configSet('maxmemory', '1')
      await expect(increment(store)).rejects.toThrow('Redis is not available: OOM')
    })
  })

  describe('a Redis that is killed during a login', () => {
    test.each(['before the approval', 'after the approval'])(
      '%s and restarted: the login succeeds',
      async (when) => {
        const server = await mortalRedis()
        const clock = fastClock(10)
        const service = startService({
          store: await impatientStoreAt(server.url, { clock }),
          clock,
          interval: 1,
        })
        let show: (userCode: string) => void = () => undefined
        const shown = new Promise<string>((resolve) => {
          show = resolve
        })
        const login = authorizeDevice({
          clientId: CLIENT_ID,
          provider: github({ authUrl: 'http://localhost', baseUrl: 'http://localhost' }),
          fetch: service.fetch,
          clock,
          onCodes: ({ userCode }) => show(userCode),
        })
        const userCode = await shown
        if (when === 'after the approval') expect(await service.approve(userCode, 'octocat')).toBe('done')
        await server.kill()
        await vi.waitFor(() => expect(service.errors.length).toBeGreaterThan(0), { timeout: 30_000 })
        await server.start()
        if (when === 'before the approval')
          await vi.waitFor(async () => expect(await service.approve(userCode, 'octocat')).toBe('done'), {
            timeout: 5000,
          })
        const token = await login
        expect((await service.whoIs(token.accessToken.reveal())).body.login).toBe('octocat')
      },
    )

    test('between the two steps of issuing: the next poll after the lease gets the token', async () => {
      const server = await mortalRedis()
      let made = 0
      const clock = { time: 0, now: () => clock.time }
      const service = startService({
        clock,
        store: await impatientStoreAt(server.url, { clock }),
        // The token is issued, but cannot be stored.
        issueToken: async () => {
          made += 1
          if (made === 1) await server.kill()
          return `token-${made}`
        },
      })
      const { poll, userCode } = await service.begin()
      await service.approve(userCode, 'octocat')
      expect((await poll()).status).toBe(503)
      await server.start()
      await vi.waitFor(async () => expect((await poll()).body.error).toBe('authorization_pending'), {
        timeout: 5000,
      })
      clock.time += 10_000
      expect((await poll()).body.access_token).toBe('token-2')
      expect((await service.whoIs('token-1')).status).toBe(401)
    })

    test('before the token was settled: it is never delivered, and the next poll gets another one', async () => {
      const server = await mortalRedis()
      const client = await clientOf(server)
      let made = 0
      const dying: RedisClient = {
        ...boundTo(client),
        evalSha: async (sha1: string, options: ScriptOptions) => {
          if (made === 1 && options.arguments[1]?.includes('"authorized"')) await server.kill()
          return client.evalSha(sha1, options)
        },
      }
      const clock = { time: 0, now: () => clock.time }
      const service = startService({
        clock,
        store: await impatientStoreAt(dying, { clock }),
        issueToken: () => `token-${++made}`,
      })
      const { poll, userCode } = await service.begin()
      await service.approve(userCode, 'octocat')
      expect((await poll()).status).toBe(503)
      await server.start()
      await vi.waitFor(async () => expect((await poll()).body.error).toBe('authorization_pending'), {
        timeout: 5000,
      })
      clock.time += 10_000
      expect((await poll()).body.access_token).toBe('token-2')
    })
  })

  test('closes only the connection that it opened', async () => {
    const client = await clientOf(redis)
    await client.clientSetName('handed-in')
    const before = (await client.clientList()).length
    const store = redisStore(redis.url)
    await store.ping()
    expect((await client.clientList()).length).toBe(before + 1)
    await store.close()
    await vi.waitFor(async () => expect((await client.clientList()).length).toBe(before))
    await redisStore(client).close()
    expect(client.isOpen).toBe(true)
  })

  test('can be closed before its first use', async () => {
    await expect(redisStore(redis.url).close()).resolves.toBeUndefined()
  })
})

test.each(['http://127.0.0.1', 'localhost:6379', 'redis://[', ''])('refuses %j as a URL', (address) => {
  expect(() => redisStore(address)).toThrow('the Redis URL must start with redis:// or rediss://')
})

test.each([{ url: 'redis://127.0.0.1' }, undefined, null, 6379])('refuses %j instead of a URL', (options) => {
  expect(() => redisStore(options as never)).toThrow(
    expect.objectContaining({ code: 'bad_option', message: expect.stringContaining('redis://127.0.0.1') }),
  )
})

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuses a timeout of %s', (timeout) => {
  expect(() => redisStore('redis://127.0.0.1', { timeout })).toThrow('timeout must be a number of seconds')
})
