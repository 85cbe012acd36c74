import dns from 'node:dns'
import { openSync, writeSync } from 'node:fs'
import tls from 'node:tls'
import { type Clock, github } from '../../../src/index.ts'
import { redisStore } from '../../../src/service/stores/redis.ts'
import { postgresStore, sqliteStore } from '../../../src/service/stores/sql/index.ts'
import { createSession } from '../../../src/session/index.ts'
import { fileStore, keyringKey } from '../../../src/session/node/index.ts'
import { processOwners } from '../../../src/session/node/shared-files.ts'
import { countInStore } from '../../../src/testing/store-processes.ts'
import { fastClock } from '../../support/fast-clock.ts'

/**
 * A program of its own process. `token <url> <folder> [<step> <signal>]` prints a token, and sends itself a signal at a
 * step of the refresh; `impatient-token` waits less for other processes, and with `RATE` all of its time is faster. The
 * folder may be the URL of a Redis. `exit` in place of a signal ends a worker thread. `key` prints the key in the keyring. `count
 * <folder> [<key>]` and `count-in-redis <url> <prefix>` count in a store, as `count-in-postgres` and `count-in-sqlite` do. `is-gone <owner> [crowded]` prints whether a
 * process has ended, with no file left to open if it is crowded.
 */
const [, , act = '', first = '', second = '', step = '', signal = ''] = process.argv

/** The steps of a refresh before and after each update of the store: it reads, claims and writes. */
const BEFORE = ['', 'before the claim', 'before the write']
const AFTER = ['', 'claim written', 'after the write']

function at(reached: string | undefined): void {
  if (step === '' || reached !== step) return
  if (signal === 'exit') process.exit()
  process.kill(process.pid, signal)
}

const { lookup } = dns
Object.assign(dns, {
  lookup: (...args: Parameters<typeof lookup>) => {
    at('in DNS')
    return lookup(...args)
  },
})
const { connect } = tls
Object.assign(tls, {
  connect: (...args: Parameters<typeof connect>) => {
    const socket = connect(...args)
    at('in TLS')
    return socket
  },
})

/** The pauses between two claims are shorter than a second. */
const impatient: Clock = {
  now: Date.now,
  setTimeout: (run, delay) => setTimeout(run, delay < 1000 ? delay / 20 : delay),
  clearTimeout: (timer) => clearTimeout(timer),
}

const { RATE } = process.env

if (act === 'token' || act === 'impatient-token') {
  const redis = second.startsWith('redis:') ? redisStore(second) : undefined
  const shared = redis ?? fileStore(second)
  let updates = 0
  const session = createSession({
    clientId: 'id',
    provider: github({ authUrl: first, baseUrl: first }),
    ...(act === 'impatient-token' && { clock: impatient }),
    ...(RATE !== undefined && { clock: fastClock(Number(RATE)) }),
    store: {
      ...shared,
      async update(name, change) {
        const index = updates
        updates += 1
        at(BEFORE[index])
        const result = await shared.update(name, change)
        at(AFTER[index])
        return result
      },
    },
    async fetch(...request) {
      at('before fetch')
      const sent = fetch(...request)
      at('after fetch')
      const response = await sent
      at('response received')
      return response
    },
  })
  await session.token().then(
    (token) => process.stdout.write(token.reveal()),
    (error) => {
      process.stdout.write(`${error.code} ${error.pid ?? ''}`)
      process.exitCode = 1
    },
  )
  await redis?.close()
}

if (act === 'key') {
  const key = keyringKey('authgraph-test')
  const readTwice = () => Promise.all([key(), key()])
  // Among many processes, a busy machine may not start the keyring's response within ten seconds. The next call asks again.
  const again = (error: Error) =>
    /within 10 seconds/.test(error.message) ? readTwice() : Promise.reject(error)
  const read = await readTwice()
    .catch(again)
    .catch(again)
    .catch((error) => [error.message])
  process.stdout.write(String(read[0]))
}

const write = (text: string) => process.stdout.write(text)

if (act === 'count')
  await countInStore(fileStore(first, { ...(second && { seal: Buffer.from(second, 'hex') }) }), write)

const SHARED = {
  'count-in-redis': redisStore,
  'count-in-postgres': postgresStore,
  'count-in-sqlite': sqliteStore,
}

if (act in SHARED) {
  const store = SHARED[act as keyof typeof SHARED](first, { prefix: second, timeout: 30 })
  await countInStore(store, write)
  await store.close()
}

if (act === 'is-gone') {
  const { isGone } = processOwners()
  if (second === 'crowded') openAllFiles()
  writeSync(1, String(isGone(first)))
}

function openAllFiles(): void {
  try {
    for (;;) openSync('/dev/null', 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EMFILE') throw error
  }
}
