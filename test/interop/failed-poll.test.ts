import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bundleClients } from '../../docs/break/bundle-clients.ts'
import { type Connection, respond, serviceOf } from '../../docs/break/connection.ts'
import type { Lane } from '../../docs/break/draw-race.ts'
import { FAULTS, type Fault, LANES, type Trouble } from '../../docs/break/faults.ts'
import { readOutcomes } from '../../docs/break/outcomes.ts'
import { type Client, type Run, race } from '../../docs/break/race.ts'
import { racePicture } from '../../docs/break/race-picture.ts'
import { serve } from '../../src/testing/sandbox/serve.ts'
import type { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'

/** Names the fault of a request. */
const TROUBLE = 'x-trouble'

const root = resolve(import.meta.dirname, '../..')
const { fetch } = globalThis

const clients: Readonly<Record<string, Client>> = new Function(`return ${await bundleClients()}`)()
const guide = readFileSync(resolve(root, 'docs/guides/why.md'), 'utf8')
const outcomes = readOutcomes(guide)

/** A service that listens, and breaks its connections itself. Logs each step of each request. */
async function overSockets(time: VirtualTime, log: string[]): Promise<Connection> {
  const { url, close } = await serve(async (input) => {
    const request = input as Request
    log.push('received')
    const trouble = (request.headers.get(TROUBLE) ?? undefined) as Trouble | undefined
    return respond(service, request, trouble).finally(() => log.push('responds'))
  })
  onTestFinished(close)
  const service = serviceOf(time, url)
  return {
    url,
    send: (request, trouble) => {
      if (trouble !== undefined) request.headers.set(TROUBLE, trouble)
      log.push(`sent ${request.url} ${trouble ?? ''}`)
      return fetch(request).finally(() => log.push('settled'))
    },
    approve: (userCode) => service.approve(userCode, 'octocat'),
  }
}

/** Races over sockets. If that takes a minute, in place of a part of a second, says which request did not end. */
async function raceOverSockets(client: Client, fault: Fault, isCareful: boolean): Promise<Run> {
  const log: string[] = []
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the race hangs:\n${log.join('\n')}`)), 60_000)
    race(client, fault, isCareful, (time) => overSockets(time, log))
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}

test('the guide has a row for each fault, and a column for each client and version', () => {
  expect([...outcomes.keys()].sort()).toEqual(FAULTS.map(({ row }) => row).sort())
  const columns = LANES.flatMap(({ plain, careful }) => [plain, careful]).sort()
  for (const row of outcomes.values()) expect([...row.keys()].sort()).toEqual(columns)
  for (const name of ['@octokit/auth-oauth-device', '@octokit/plugin-retry', 'openid-client']) {
    expect(guide).toContain(`\`${name}\` ${versionOf(name)}`)
  }
})

test.each(
  FAULTS.flatMap((fault) =>
    LANES.flatMap(({ client, plain, careful }) => [
      { row: fault.row, column: plain, fault, client, isCareful: false },
      { row: fault.row, column: careful, fault, client, isCareful: true },
    ]),
  ),
)('$column, $row', async ({ row, column, fault, client, isCareful }) => {
  const start = clients[client] as Client
  const run = await raceOverSockets(start, fault, isCareful)
  expect(run.outcome).toBe(outcomes.get(row)?.get(column))
  // The page shows this.
  expect(await race(start, fault, isCareful)).toEqual(run)
})

test.each([
  ['race.light.svg', 830, 'light'],
  ['race.dark.svg', 830, 'dark'],
  ['race.narrow.light.svg', 358, 'light'],
  ['race.narrow.dark.svg', 358, 'dark'],
] as const)(
  'docs/images/%s shows the first fault (to draw it anew, run this test with -u)',
  async (file, width, scheme) => {
    const [fault] = FAULTS as [Fault]
    const lanes: Lane[] = []
    for (const { client, name } of LANES)
      lanes.push({ name, version: versionOf(name), run: await race(clients[client] as Client, fault, false) })
    const drawn = racePicture(lanes, fault, width, scheme)
    await expect(drawn).toMatchFileSnapshot(resolve(root, 'docs/images', file))
  },
)

function versionOf(name: string): string {
  const folder = name === 'authgraph' ? root : resolve(import.meta.dirname, 'node_modules', name)
  return JSON.parse(readFileSync(resolve(folder, 'package.json'), 'utf8')).version
}
