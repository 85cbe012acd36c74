import { memoryStore } from 'authgraph/session'
import { loginCommands } from 'authgraph/terminal'
import { test } from 'authgraph/testing/vitest'
import { expect, vi } from 'vitest'

test('whoami needs a login', async ({ sandbox }) => {
  const print = vi.spyOn(process.stdout, 'write')
  const store = memoryStore()
  const acme = loginCommands({ name: 'acme', ...sandbox.client, store })
  expect(await acme.run(['whoami'])).toBe(1)

  const login = acme.run(['login'])
  await sandbox.advance(6)
  await sandbox.approve()
  expect(await sandbox.run(login)).toBe(0)
  expect(await sandbox.run(acme.run(['whoami']))).toBe(0)
  expect(print).toHaveBeenLastCalledWith('octocat\n', expect.anything())
})
