import { refreshFields } from './fields.js'
import { load, post } from './load.js'
import { start } from './server-process.js'
import { OURS, PROVIDER } from './servers.js'
import { median, printFigures, printTable, ratio, takeTurns } from './statistics.js'

/** Rounds, in each of which both servers refresh for a while, in turn. */
const ROUNDS = Number(process.argv[2] ?? 9)

/** Seconds of one turn. */
const TURN = 2

/** Refreshes before the first round. */
const WARM_UP = 5_000

const CONNECTIONS = 50

/** Logins whose memory is measured, and how often each is refreshed. */
const LOGINS = 5_000
const REFRESHES = 5

const SERVERS = [OURS, PROVIDER]

const rates = await measureRates()
printFigures(
  `Refreshes, each with the token of the one before, ${CONNECTIONS} connections, ${ROUNDS} rounds`,
  ['refreshes/s', 'of oidc-provider', 'CPU, µs per refresh'],
  rates,
  (values) => [
    median(values.map(({ rate }) => rate)).toFixed(0),
    ratio(values, rates[PROVIDER], ({ rate }) => rate),
    median(values.map(({ cpu }) => cpu)).toFixed(0),
  ],
)
const memory = []
for (const name of SERVERS) memory.push([name, ...(await measureMemory(name))])
printTable(`Memory of ${LOGINS} logins, in bytes of heap`, ['', 'a login', 'each refresh'], memory)

/** The chains of a server: each connection refreshes its own login. */
async function chainsAt(server, logins) {
  const { refreshTokens } = await server.ask({ logins })
  const write = (refreshToken) => post(server.poll, refreshFields(refreshToken))
  const requests = refreshTokens.map(write)
  return {
    port: server.port,
    connections: CONNECTIONS,
    expected: '"refresh_token"',
    requests,
    following: (response) => write(/"refresh_token":"([^"]+)"/.exec(response)[1]),
  }
}

async function measureRates() {
  const servers = {}
  for (const name of SERVERS) {
    const server = await start(name)
    servers[name] = server
    await load({ ...(await chainsAt(server, CONNECTIONS)), most: WARM_UP, seconds: 10 * TURN })
  }
  const figures = await takeTurns(servers, ROUNDS, async (server) => {
    const chains = await chainsAt(server, CONNECTIONS)
    return server.spent(() => load({ ...chains, seconds: TURN }))
  })
  for (const server of Object.values(servers)) server.stop()
  return figures
}

/** @returns Bytes of heap that a login takes, and each refresh of it. */
async function measureMemory(name) {
  const server = await start(name)
  const heap = async () => (await server.ask('memory')).heap
  await load({ ...(await chainsAt(server, CONNECTIONS)), most: WARM_UP })
  const before = await heap()
  const chains = await chainsAt(server, LOGINS)
  const after = await heap()
  for (let chain = 0; chain < LOGINS; chain += CONNECTIONS) {
    const requests = chains.requests.slice(chain, chain + CONNECTIONS)
    await load({ ...chains, requests, most: REFRESHES * CONNECTIONS })
  }
  const refreshed = await heap()
  server.stop()
  return [(after - before) / LOGINS, (refreshed - after) / (REFRESHES * LOGINS)].map((bytes) =>
    bytes.toFixed(0),
  )
}
