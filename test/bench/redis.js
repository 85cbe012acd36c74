/** Measures polls a second with the store in Redis, with the two clients of Redis that there are. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { createService } from '../../dist/src/service/index.js'
import { redisStore } from '../../dist/src/service/stores/redis.js'
import { rateOf } from './rate.js'
import { median, print, shuffled, table } from './statistics.js'

const PORT = 16379
const IN_FLIGHT = 50
const SECONDS = 2
const ROUNDS = 5

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
    const client = createClient({ url: `redis://127.0.0.1:${PORT}`, commandOptions: { timeout: 0 } })
    await client.connect()
    return {
      client,
      load: () => client.scriptLoad(SCRIPT),
      run: (sha, key) => client.evalSha(sha, { keys: [key], arguments: [RECORD, RECORD, '900000'] }),
      close: () => client.close(),
    }
  },
  ioredis: async () => adapted(new Redis(PORT)),
  'ioredis, pipelining': async () => adapted(new Redis(PORT, { enableAutoPipelining: true })),
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

const folder = mkdtempSync(join(tmpdir(), 'authgraph-bench-'))
const server = spawn(
  'redis-server',
  ['--port', String(PORT), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder],
  { stdio: ['ignore', 'pipe', 'ignore'] },
)
for await (const chunk of server.stdout) if (String(chunk).includes('Ready to accept')) break

const figures = new Map(Object.keys(clients).map((name) => [name, { polls: [], scripts: [] }]))
for (let round = 0; round <= ROUNDS; round += 1) {
  for (const [name, connect] of shuffled(Object.entries(clients))) {
    const connected = await connect()
    const polls = await pollRate(connected.client)
    const scripts = await scriptRate(connected)
    await connected.close()
    // The first round loads and compiles.
    if (round > 0) {
      figures.get(name).polls.push(polls)
      figures.get(name).scripts.push(scripts)
    }
  }
}
server.kill()
await once(server, 'exit')
rmSync(folder, { recursive: true })

print(
  `\n## The store in Redis: a second, ${IN_FLIGHT} at a time, median of ${ROUNDS} rounds of ${SECONDS} s\n`,
)
const of = (measured, figure) => median(measured.map((one) => one[figure]))
print(
  table(
    ['client', 'polls', 'CPU µs a poll', 'raw EVALSHA', 'CPU µs each', 'EVALSHA a poll'],
    [...figures].map(([name, { polls, scripts }]) => [
      name,
      of(polls, 'rate').toFixed(0),
      of(polls, 'cpu').toFixed(0),
      of(scripts, 'rate').toFixed(0),
      of(scripts, 'cpu').toFixed(0),
      (of(scripts, 'rate') / of(polls, 'rate')).toFixed(2),
    ]),
  ),
)
