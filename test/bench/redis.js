/** Measures polls a second with the store in Redis, with the two clients of Redis that there are. */
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { createService } from '../../dist/src/service/index.js'
import { redisStore } from '../../dist/src/service/stores/redis.js'
import { startRedis } from '../support/redis-server.js'
import { rateOf } from './rate.js'
import { median, printFigures, takeTurns } from './statistics.js'

const IN_FLIGHT = 50
const SECONDS = 2
const ROUNDS = 5

const redis = await startRedis()

/** As long as a grant is in the store. */
const RECORD = 'x'.repeat(420)

/** What the store does in one step: compare, and set with a lifetime. */
const SCRIPT = `
local present = redis.call('GET', KEYS[1]) or ''
if present ~= ARGV[1] then return present end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return nil`

/** Each gives a client as the store takes it, and its own way to send a script by its hash. */
const clients = {
  redis: async () => {
    const client = createClient({ url: redis.url, commandOptions: { timeout: 0 } })
    await client.connect()
    return {
      client,
      load: () => client.scriptLoad(SCRIPT),
      run: (sha, key) => client.evalSha(sha, { keys: [key], arguments: [RECORD, RECORD, '900000'] }),
      close: () => client.close(),
    }
  },
  ioredis: async () => adapted(new Redis(redis.url)),
  'ioredis, pipelining': async () => adapted(new Redis(redis.url, { enableAutoPipelining: true })),
}

function adapted(ioredis) {
  return {
    client: {
      get: (key) => ioredis.get(key),
      evalSha: (sha, { keys, arguments: given }) => ioredis.evalsha(sha, keys.length, ...keys, ...given),
      eval: (script, { keys, arguments: given }) => ioredis.eval(script, keys.length, ...keys, ...given),
    },
    load: () => ioredis.script('LOAD', SCRIPT),
    run: (sha, key) => ioredis.evalsha(sha, 1, key, RECORD, RECORD, '900000'),
    close: () => ioredis.quit(),
  }
}

async function pollRate(client) {
  const service = createService({
    clients: [{ clientId: 'id', name: 'App' }],
    // Each poll is in time, and so each one is written.
    leeway: 900,
    store: redisStore(client),
  })
  const post = async (path, fields) => {
    const response = await service.fetch(`http://localhost${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
    })
    return response.json()
  }
  const codes = await Promise.all(
    Array.from({ length: IN_FLIGHT }, () => post('/login/device/code', { client_id: 'id' })),
  )
  return rateOf(
    async (index) => {
      const { error } = await post('/login/oauth/access_token', {
        client_id: 'id',
        device_code: codes[index].device_code,
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      })
      if (error !== 'authorization_pending') throw new Error(`a poll got ${error}`)
    },
    { inFlight: IN_FLIGHT, seconds: SECONDS },
  )
}

async function scriptRate({ client, load, run }) {
  const sha = await load()
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, (_, index) =>
      client.eval("return redis.call('SET', KEYS[1], ARGV[1])", {
        keys: [`raw-${index}`],
        arguments: [RECORD],
      }),
    ),
  )
  return rateOf((index) => run(sha, `raw-${index}`), { inFlight: IN_FLIGHT, seconds: SECONDS })
}

const figures = await takeTurns(
  clients,
  ROUNDS,
  async (connect) => {
    const connected = await connect()
    const figure = { polls: await pollRate(connected.client), scripts: await scriptRate(connected) }
    await connected.close()
    return figure
  },
  // The first round loads and compiles.
  1,
)
await redis.stop()

printFigures(
  `The store in Redis: a second, ${IN_FLIGHT} at a time, median of ${ROUNDS} rounds of ${SECONDS} s`,
  ['polls', 'CPU µs a poll', 'raw EVALSHA', 'CPU µs each', 'EVALSHA a poll'],
  figures,
  (rounds) => {
    const of = (what, figure) => median(rounds.map((round) => round[what][figure]))
    return [
      of('polls', 'rate').toFixed(0),
      of('polls', 'cpu').toFixed(0),
      of('scripts', 'rate').toFixed(0),
      of('scripts', 'cpu').toFixed(0),
      (of('scripts', 'rate') / of('polls', 'rate')).toFixed(2),
    ]
  },
)
