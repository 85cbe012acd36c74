import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect } from 'vitest'
import { hasKeyring, startKeyring } from './support/keyring.ts'
import { CLIENT_ID } from './support/live-service.ts'
import { test } from './support/world.ts'

/** Milliseconds between two scans of the processes. */
const EVERY = 50

/** Collects the arguments and environments of all processes until it is stopped. */
function watchProcesses() {
  const seen = new Set<string>()
  const look = () => {
    for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      for (const file of ['cmdline', 'environ']) {
        try {
          seen.add(readFileSync(`/proc/${id}/${file}`, 'utf8'))
        } catch {
          // The process has ended or belongs to another user.
        }
      }
  }
  const timer = setInterval(look, EVERY)
  return () => {
    clearInterval(timer)
    look()
    return [...seen]
  }
}

describe.skipIf(process.platform !== 'linux' || !hasKeyring)('with a keyring', () => {
  test('never exposes the token in a process list, the output or a file', async ({ world }) => {
    const keyring = await startKeyring()
    world.onEnd(keyring.stop)
    const service = await world.live()
    const stop = watchProcesses()
    const { env } = keyring
    const outputs: string[] = []
    const run = async (args: string, more = {}) => {
      const { stdout, stderr } = await world.expect(args, {}, { env, ...more })
      outputs.push(stdout, stderr)
      return stdout
    }
    const login = `login --host ${service.host} --client-id ${CLIENT_ID} --scopes repo`
    const stored = '(encrypted, key in the keyring)'
    expect(await run(login, { onOutput: service.approver() })).toContain(stored)
    for (const words of ['status', 'status --json', 'api /user --include']) await run(words)
    await world.expect('token', { stdout: `${service.issued[0]}\n` }, { env })
    await run('logout')
    await world.expect('token', { code: 1 }, { env })

    const [token = 'none'] = service.issued
    const seen = stop()
    expect(seen.some((text) => text.includes('login\0--host'))).toBe(true)
    for (const text of [...seen, ...outputs, ...world.files().map((file) => file.text)]) {
      expect(text.includes(token)).toBe(false)
    }
  })
})
