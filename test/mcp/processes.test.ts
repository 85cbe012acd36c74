import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { bundleProgram, start } from '../session/support/start-program.ts'
import { listenOnLoopback } from '../support/listen-on-loopback.ts'
import { startIssuer } from '../support/start-issuer.ts'

const program = resolve(import.meta.dirname, '../../.cache/mcp-program.mjs')

beforeAll(() => bundleProgram(join(import.meta.dirname, 'support/program.ts'), program))

/** An MCP server, our service as its issuer, and programs that share a folder. */
async function world() {
  const { service, url: issuer, codes } = await startIssuer({ clients: [], registration: true })
  const server = createServer(async (request, response) => {
    if (request.url?.startsWith('/.well-known/'))
      return response.end(JSON.stringify({ resource: url, authorization_servers: [issuer] }))
    const headers = new Headers({ authorization: request.headers.authorization ?? '' })
    const found = await service.authenticate({ headers }).catch(() => undefined)
    response.writeHead(found ? 200 : 401, { 'www-authenticate': 'Bearer' }).end()
  })
  const listening = await listenOnLoopback(server)
  onTestFinished(listening.close)
  const url = `${listening.url}/mcp`
  const folder = join(mkdtempSync(join(tmpdir(), 'authgraph-mcp-')), 'store')
  const run = (step = '') => start([process.execPath, program, url, folder, step])
  /** Approves each code that a program shows. */
  const approved = ({ child, ended }: ReturnType<typeof run>) => {
    child.stdout.once(
      'data',
      (codes) =>
        void service.approve(String(codes).slice(0, 9), { id: 7, login: 'u' }).catch(() => undefined),
    )
    return ended
  }
  const registrations = () => service.events.filter(({ type }) => type === 'client.registered').length
  return { service, run, approved, codes, registrations }
}

describe('processes that log in at an MCP server', () => {
  test('fifty at once show one code, and each of them gets its response', async () => {
    const { service, run, approved, codes, registrations } = await world()
    const texts = await Promise.all(Array.from({ length: 50 }, () => approved(run())))
    const shown = texts.map((text) => text.split(' '))
    expect(new Set(shown.map((words) => words.at(-1)))).toEqual(new Set(['200']))
    expect(new Set(shown.flatMap((words) => words.slice(0, -1))).size).toBe(1)
    expect([codes(), registrations()]).toEqual([1, 1])
    // One process polls at a time: two would poll sooner than the interval allows.
    expect(service.events.filter(({ type }) => type === 'limited')).toEqual([])
  })

  test.each([
    // A client or a code that was not stored is lost, and nothing else.
    ['claimed', 1, 1],
    ['client received', 2, 1],
    ['client stored', 1, 1],
    ['codes received', 1, 2],
    ['login stored', 1, 1],
    ['poll', 1, 1],
    ['token received', 1, 1],
    ['token stored', 1, 1],
  ])('one that is killed at the step "%s" is followed by the next', async (step, clients, expected) => {
    const { run, approved, codes, registrations } = await world()
    expect(await approved(run(step))).not.toMatch(/200/)
    expect(await approved(run())).toMatch(/200$/)
    expect([registrations(), codes()]).toEqual([clients, expected])
  })
})
