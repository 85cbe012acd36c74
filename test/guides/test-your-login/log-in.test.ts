import { test } from 'authgraph/testing/vitest'
import { expect } from 'vitest'
import { logIn } from './log-in.js'

/** Collects what the command prints. */
function printed() {
  const lines: string[] = []
  return { lines, print: (line: string) => void lines.push(line) }
}

test('waits until the user approves', async ({ sandbox }) => {
  const { lines, print } = printed()
  const exitCode = logIn(print, sandbox.client)
  await sandbox.advance(60)
  expect(lines).toEqual([
    expect.stringMatching(/^Open http:\S+ and enter \w{4}-\w{4}$/),
  ])
  await sandbox.approve()
  expect(await sandbox.run(exitCode)).toBe(0)
  expect(lines.at(-1)).toBe('Logged in for repo')
})

test('says that the user denied the request', async ({ sandbox }) => {
  const { lines, print } = printed()
  const exitCode = logIn(print, sandbox.client)
  await sandbox.advance(60)
  await sandbox.deny()
  expect(await sandbox.run(exitCode)).toBe(1)
  expect(lines.at(-1)).toBe('Not logged in: denied')
})

test('stops when the code expires, after 15 minutes', async ({ sandbox }) => {
  const { lines, print } = printed()
  expect(await sandbox.run(logIn(print, sandbox.client))).toBe(1)
  expect(lines.at(-1)).toBe('Not logged in: expired')
})

test('survives a failing service and a broken connection', async ({
  sandbox,
}) => {
  sandbox.inject({ status: 503 }, { on: 'poll', times: 2 })
  sandbox.inject('drop', { on: 'poll' })
  const exitCode = logIn(() => undefined, sandbox.client)
  await sandbox.advance(1)
  await sandbox.approve()
  expect(await sandbox.run(exitCode)).toBe(0)
  expect(sandbox.requests.map(({ outcome }) => outcome)).toEqual([
    'codes',
    'status',
    'status',
    'drop',
    'token',
  ])
})

test('says immediately that there is no connection', async ({ sandbox }) => {
  const { lines, print } = printed()
  sandbox.inject('drop', { on: 'codes' })
  expect(await sandbox.run(logIn(print, sandbox.client))).toBe(1)
  expect(lines).toEqual(['Not logged in: unreachable'])
})
