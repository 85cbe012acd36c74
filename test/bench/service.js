import { codesFields, pollFields } from './fields.js'
import { ask, load, post } from './load.js'
import { start } from './server-process.js'
import { BETTER_AUTH, EARLIER, HONO, LIMIT, OURS, PROVIDER } from './servers.js'
import { median, printFigures, printTable, range, ratio, takeTurns } from './statistics.js'

/** Rounds, in each of which every server is polled for a while, in turn. */
const ROUNDS = Number(process.argv[2] ?? 9)

/** Seconds of one turn. */
const TURN = 2

/** Requests before the first round. */
const WARM_UP = 10_000

const CONNECTIONS = 50

/** So many connections that most requests wait for others. */
const CROWD = 500

/** Grants that are polled in turn, and whose memory is measured. */
const GRANTS = 100_000

/** Seconds, with a garbage collection in each, after which memory is read a second time. */
const SETTLING = 12

const BUILDS = EARLIER ? [OURS, EARLIER] : [OURS]
const POLLED = [LIMIT, HONO, ...BUILDS, PROVIDER, BETTER_AUTH]
const ISSUERS = [LIMIT, ...BUILDS, PROVIDER, BETTER_AUTH]

const PARTS = {
  async polls() {
    const title = `Polls that get authorization_pending, ${CONNECTIONS} connections, ${ROUNDS} rounds`
    printRates(title, await measure(POLLED, pollsOf, 'authorization_pending'), 'polls')
  },
  async many() {
    const title = `Polls of ${GRANTS} grants in turn, ${CONNECTIONS} connections, ${ROUNDS} rounds`
    printRates(title, await measure([LIMIT, HONO, ...BUILDS], pollsOfMany, 'authorization_pending'), 'polls')
  },
  async crowd() {
    const title = `Polls, ${CROWD} connections, ${ROUNDS} rounds`
    const figures = await measure([LIMIT, ...BUILDS], pollsOf, 'authorization_pending', CROWD)
    printRates(title, figures, 'polls')
  },
  async codes() {
    const title = `Requests for codes, ${CONNECTIONS} connections, ${ROUNDS} rounds`
    printRates(title, await measure(ISSUERS, codesOf, 'device_code'), 'codes')
  },
  async memory() {
    const { first, settled } = await measureMemory()
    printTable(
      `Memory of ${GRANTS} grants`,
      ['bytes a grant', 'at once', 'when it has settled'],
      [
        ['resident set', first.rss.toFixed(0), settled.rss.toFixed(0)],
        ['heap', first.heap.toFixed(0), settled.heap.toFixed(0)],
      ],
    )
  },
}
/** One part, instead of all. */
const [only] = process.argv.slice(3)
if (only && !Object.hasOwn(PARTS, only))
  throw new RangeError(`there is no part ${only}: use one of ${Object.keys(PARTS).join(', ')}`)
for (const [name, measurePart] of Object.entries(PARTS)) if (!only || only === name) await measurePart()

/** One poll for each connection, of a grant of its own where there are grants. */
async function pollsOf({ name, port, codes, poll, encoding }) {
  const write = (deviceCode) => post(poll, pollFields(deviceCode), encoding)
  if (name === LIMIT || name === HONO) return [write('0'.repeat(40))]
  const issue = async () => (await ask(port, post(codes, codesFields, encoding))).device_code
  return Promise.all(Array.from({ length: CONNECTIONS }, async () => write(await issue())))
}

/** Polls of so many grants that their records are not in the processor's caches, nor young when they are replaced. */
async function pollsOfMany(server) {
  const { name, port, codes, poll, encoding } = server
  if (!BUILDS.includes(name)) return pollsOf(server)
  const polls = []
  const request = post(codes, codesFields, encoding)
  await load({
    port,
    requests: [request],
    connections: CONNECTIONS,
    most: GRANTS,
    expected: 'device_code',
    following: (response) => {
      const [, deviceCode] = /"device_code":"(\w+)"/.exec(response)
      polls.push(post(poll, pollFields(deviceCode), encoding))
      return request
    },
  })
  return polls
}

function codesOf({ codes, encoding }) {
  return [post(codes, codesFields, encoding)]
}

/** @returns For each server and round, its responses per second, and the CPU time (microseconds) of one. */
async function measure(names, requestsOf, expected, connections = CONNECTIONS) {
  const servers = {}
  for (const name of names) {
    const server = await start(name)
    const requests = await requestsOf(server)
    const what = { port: server.port, requests, connections }
    const says = name === LIMIT || name === HONO ? 'authorization_pending' : expected
    servers[name] = { ...server, run: (until) => load({ ...what, ...until, expected: says }) }
  }
  // Until the hot code is compiled: by number, not by time, where the machine is busy.
  for (const { run } of Object.values(servers)) await run({ most: WARM_UP, seconds: 10 * TURN })
  const figures = await takeTurns(servers, ROUNDS, ({ spent, run }) => spent(() => run({ seconds: TURN })))
  for (const { stop } of Object.values(servers)) stop()
  return figures
}

function printRates(title, figures, what) {
  const of = (values, other, pick) => (figures[other] ? ratio(values, figures[other], pick) : '')
  const rate = (figure) => figure.rate
  const cpu = (figure) => figure.cpu
  const middle = (values, pick, digits) => median(values.map(pick)).toFixed(digits)
  printFigures(
    title,
    [
      `${what} a second`,
      'of the limit',
      'of oidc-provider',
      'CPU, µs',
      'of the limit',
      'median ms',
      '99 % below',
      'of the limit',
    ],
    figures,
    (values) => [
      middle(values, rate, 0),
      of(values, LIMIT, rate),
      of(values, PROVIDER, rate),
      middle(values, cpu, 0),
      `${of(values, LIMIT, cpu)} ${range(values, figures[LIMIT], cpu)}`,
      middle(values, ({ median }) => median, 1),
      middle(values, ({ slow }) => slow, 1),
      of(values, LIMIT, ({ slow }) => slow),
    ],
  )
}

async function measureMemory() {
  const server = await start(OURS)
  const { port, codes, stop } = server
  const send = (fields, most, expected) =>
    load({ port, requests: [post(codes, fields)], connections: CONNECTIONS, most, expected })
  // What a process takes for itself once it is warm is not the grants': these requests leave nothing behind.
  await send({ client_id: 'nobody' }, GRANTS / 4, 'incorrect_client_credentials')
  const before = await server.ask('memory')
  await send(codesFields, GRANTS, 'device_code')
  const after = [await server.ask('memory')]
  // V8 gives back what was room for the young, but not at once, and not after one collection.
  for (let second = 0; second < SETTLING; second++) {
    await new Promise((resolve) => setTimeout(resolve, 1000))
    after.push(await server.ask('memory'))
  }
  stop()
  const [first, settled] = [after.at(0), after.at(-1)].map(({ rss, heap }) => ({
    rss: (rss - before.rss) / GRANTS,
    heap: (heap - before.heap) / GRANTS,
  }))
  return { first, settled }
}
