import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { rotatingProvider } from '../session/support/rotating-provider.ts'
import { openSession } from './share-a-login/session.ts'
import { whoami } from './share-a-login/whoami.ts'

test('logs in once, uses the stored login afterwards, and renews it', async () => {
  const printed = vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
  onTestFinished(() => printed.mockRestore())
  const time = new VirtualTime()
  const server = rotatingProvider({ clock: time.clock() })
  const folder = join(mkdtempSync(join(tmpdir(), 'authgraph-guide-')), 'my-cli')
  const fetch = async (input: RequestInfo | URL, init?: RequestInit) =>
    new URL(input instanceof Request ? input.url : input).host === 'api.example'
      ? Response.json({ login: 'octocat' })
      : server.fetch(input, init)
  const { provider } = server
  const open = () =>
    openSession({ clientId: 'id', provider, fetch, clock: time.clock(), random: () => 0 }, folder)
  async function run(): Promise<string> {
    const session = open()
    let name: string | undefined
    whoami(session, { provider, fetch }).then((login) => {
      name = login
    })
    // Files take real time, and the wait between polls virtual time.
    await vi.waitUntil(
      async () => {
        await time.advance(500)
        return name !== undefined
      },
      { interval: 1, timeout: 10_000 },
    )
    session.actor.stop()
    return name ?? ''
  }
  expect(await run()).toBe('octocat')
  expect(printed).toHaveBeenCalledExactlyOnceWith('Enter ABCD-EFGH at https://provider.example/device\n')
  expect(await run()).toBe('octocat')
  await time.advance(3_600_000)
  expect(await run()).toBe('octocat')
  expect(server.requests).toEqual(['/login/device/code', '/login/oauth/access_token', 'refresh-0-0'])
})
