/** Measures what a service does a second with each of its stores, and what several instances do with one store. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createService } from '../../dist/src/service/index.js'
import { deviceAt, UNLIMITED } from './fields.js'
import { openStore } from './open-store.js'
import { STORES } from './start-store.js'
import { median, printTable, range, ratio, shuffled } from './statistics.js'

const IN_FLIGHT = 50
const SECONDS = 2

/** Seconds before, in which V8 compiles: a slow store would else have fewer operations to share that among. */
const WARM_UP = 2

/** Logins that are revoked in one turn. */
const REVOKED = 500

/** What is measured. Each resolves to a function that does it once for one of those in flight. */
const OPERATIONS = {
  async codes({ codes }) {
    return async () => {
      const { device_code, error } = await codes()
      if (!device_code) throw new Error(`a request for codes got ${error}`)
    }
  },
  async polls({ codes, poll }) {
    const waiting = await atOnce(() => codes())
    return async (index) => {
      const { error } = await poll(waiting[index])
      if (error !== 'authorization_pending') throw new Error(`a poll got ${error}`)
    }
  },
  async authenticate({ service, login }) {
    const tokens = await atOnce(login)
    return async (index) => {
      const headers = new Headers({ authorization: `Bearer ${tokens[index].access_token}` })
      const { form } = await service.authenticate({ headers })
      if (form !== 'oauth') throw new Error(`a request was authenticated as ${form}`)
    }
  },
  async refreshes({ refresh, login }) {
    const tokens = await atOnce(login)
    return async (index) => {
      tokens[index] = await refresh(tokens[index].refresh_token)
      if (!tokens[index].access_token) throw new Error(`a refresh got ${tokens[index].error}`)
    }
  },
  async revocations({ service, login }) {
    const tokens = []
    while (tokens.length < REVOKED) tokens.push(...(await atOnce(login)))
    return async () => {
      const token = tokens.pop()
      return token !== undefined && (await service.revoke({ token: token.access_token }))
    }
  },
}

/** One operation, instead of all. */
const [only] = process.argv.slice(3)
if (only && !Object.hasOwn(OPERATIONS, only))
  throw new RangeError(`there is no operation ${only}: use one of ${Object.keys(OPERATIONS).join(', ')}`)

if (process.send === undefined) await compare(Number(process.argv[2] ?? 5))
else process.on('message', async ({ where, operation }) => process.send(await measure(where, operation)))

/** Runs one operation in this process, as one instance would. */
async function measure(where, operation) {
  const store = openStore(where)
  const service = createService({
    clients: [{ clientId: 'client', name: 'Client' }],
    // Each poll is in time, and so each one is written.
    leeway: 900,
    store,
    limits: UNLIMITED,
    refreshTokens: { lifetime: 86_400, reuseWindow: 30 },
  })
  const device = deviceAt(service)
  const login = () => device.login({ id: 1, login: 'octocat' })
  const tools = { service, ...device, login }
  await rateOf(await OPERATIONS[operation](tools), { inFlight: IN_FLIGHT, seconds: WARM_UP })
  const result = await rateOf(await OPERATIONS[operation](tools), { inFlight: IN_FLIGHT, seconds: SECONDS })
  await store.close?.()
  return result
}

/**
 * Runs an operation again and again, so many at the same time, until the time is over or one says `false`.
 *
 * @param {(index: number) => Promise<unknown>} operation Receives which of those in flight it is.
 * @param {{ inFlight: number, seconds: number }} options
 * @returns Operations a second, and CPU microseconds of this process for each.
 */
async function rateOf(operation, { inFlight, seconds }) {
  let done = 0
  const cpu = process.cpuUsage()
  const begin = performance.now()
  const end = begin + seconds * 1000
  await Promise.all(
    Array.from({ length: inFlight }, async (_, index) => {
      while (performance.now() < end && (await operation(index)) !== false) done += 1
    }),
  )
  const { user, system } = process.cpuUsage(cpu)
  return { rate: (done / (performance.now() - begin)) * 1000, cpu: (user + system) / done }
}

function atOnce(make) {
  return Promise.all(Array.from({ length: IN_FLIGHT }, make))
}

async function compare(rounds) {
  const stores = await Promise.all(
    Object.entries(STORES).map(async ([name, start]) => ({ name, ...(await start()) })),
  )
  try {
    await compareStores(stores, rounds)
  } finally {
    // A failed measurement must not leave servers behind.
    for (const { stop } of stores) await stop()
  }
}

async function compareStores(stores, rounds) {
  const rows = Object.keys(OPERATIONS)
    .filter((operation) => !only || operation === only)
    .map((operation) => ({ operation, figures: {} }))
  const shared = stores.filter(({ name }) => name === 'redis' || name === 'postgres')
  const instances = shared.flatMap((store) => [1, 2, 4].map((count) => ({ store, count, rates: [] })))
  // The first round warms up what the processes share: the disk and the servers.
  for (let round = 0; round <= rounds; round += 1) {
    for (const { operation, figures } of rows)
      for (const { name, url } of shuffled(stores)) {
        const [figure] = await measureIn(1, url, operation)
        if (round > 0) figures[name] = [...(figures[name] ?? []), figure]
      }
    for (const { store, count, rates } of shuffled(instances)) {
      const figures = await measureIn(count, store.url, 'polls')
      if (round > 0) rates.push(figures.reduce((sum, { rate }) => sum + rate, 0))
    }
  }

  const middle = (figures, pick) => median(figures.map(pick)).toFixed(0)
  const cell = (figures) => `${middle(figures, ({ rate }) => rate)} (${middle(figures, ({ cpu }) => cpu)})`
  const names = stores.map(({ name }) => name)
  printTable(
    `A second, ${IN_FLIGHT} at a time, one instance, ${rounds} rounds (CPU of the instance, µs each)`,
    ['', ...names],
    rows.map(({ operation, figures }) => [operation, ...names.map((name) => cell(figures[name]))]),
  )
  const cpu = (figure) => figure.cpu
  const multiple = ({ memory }, figures) => `${ratio(figures, memory, cpu)} ${range(figures, memory, cpu)}`
  printTable(
    `The CPU as a multiple of that with the memory store in the same round, ${rounds} rounds, median and range`,
    ['', ...names],
    rows.map(({ operation, figures }) => [
      operation,
      ...names.map((name) => multiple(figures, figures[name])),
    ]),
  )
  const ofStore = (name) => instances.filter(({ store }) => store.name === name)
  printTable(
    'Polls a second of several instances with one store',
    ['', '1', '2', '4'],
    shared.map(({ name }) => [name, ...ofStore(name).map(({ rates }) => median(rates).toFixed(0))]),
  )
}

/** Runs an operation in so many processes at the same time. */
async function measureIn(count, where, operation) {
  const children = Array.from({ length: count }, () => fork(new URL(import.meta.url).pathname))
  const measured = Promise.all(
    children.map(async (child) => {
      child.send({ where, operation })
      const [figure] = await Promise.race([once(child, 'message'), once(child, 'exit')])
      if (figure?.rate === undefined) throw new Error('a process ended without a figure')
      return figure
    }),
  )
  return measured.finally(() => {
    for (const child of children) child.kill()
  })
}
