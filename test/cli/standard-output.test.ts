import { closeSync, openSync } from 'node:fs'
import { describe, expect } from 'vitest'
import { FRESH, loggedIn, RENEWABLE, TOKEN } from './support/logged-in.ts'
import { granted } from './support/scripted-http.ts'
import { test, type World } from './support/world.ts'

const FULL = '✗ Standard output cannot be written (no space left on device)\n'

/** Runs a command with standard output on a full disk. Returns its errors. */
async function runFull(world: World, words: string): Promise<string> {
  const stdout = openSync('/dev/full', 'w')
  world.onEnd(() => closeSync(stdout))
  return (await world.expect(words, { code: 1, stdout: '' }, { stdout })).stderr
}

describe('standard output on a full disk', { concurrent: true }, () => {
  test.for(['--version', 'login --help', 'status', 'api /user'])(
    'ends %s with an error that says so',
    async (words, { world }) => {
      await loggedIn(world)
      expect(await runFull(world, words)).toBe(FULL)
    },
  )

  test('does not keep a refreshed token from being stored', async ({ world }) => {
    const { expire } = await loggedIn(world, RENEWABLE)
    expire()
    expect(await runFull(world, 'token')).toBe(FULL)
    await world.expect('token', { stdout: `${FRESH}\n` })
  })

  test('does not keep logins from being ended, which is reported', async ({ world }) => {
    const { url } = await loggedIn(world)
    await world.login(url, '--profile home')
    expect(await runFull(world, 'logout --all')).toBe(FULL)
    expect(world.files().filter(({ isFile }) => isFile)).toEqual([])
  })

  const UNPRINTED = 'The token is stored but could not be printed: run authgraph token --profile work'
  test.for([
    ['is stored', '--store file', FULL],
    ['is stored, which --print says', '--store file --print', UNPRINTED],
    ['is stored, which --print --json says on standard error', '--store file --print --json', UNPRINTED],
    ['is lost without a store, and this is said', '--store none --print', 'not be printed, and is lost'],
  ] as const)('the token of a login %s', async ([, options, message], { world }) => {
    const { url } = await world.scripted({ polls: [granted(TOKEN)] })
    const stderr = await runFull(world, `login --host ${url} --client-id id --profile work ${options}`)
    expect(stderr).toContain(message)
    expect(stderr.endsWith(FULL)).toBe(true)
    expect((await world.run('token')).stdout).toBe(options.includes('file') ? `${TOKEN}\n` : '')
  })
})

describe('a reader of standard output that has gone', { concurrent: true }, () => {
  test.for(['api', 'api --include'])('ends %s without a word', async (command, { world }) => {
    const url = await world.serve((_request, response) => {
      response.write('first')
      const timer = setInterval(() => response.write('x'.repeat(100_000)), 10)
      response.once('close', () => clearInterval(timer))
    })
    await world.expect(`${command} / --auth none --host ${url}`, { code: 1, stderr: '' }, { isCut: true })
  })

  test('does not lose the token that login --print then prints', async ({ world }) => {
    const { url } = await world.scripted({ polls: [granted(TOKEN)] })
    const { code, stderr } = await world.login(url, '--profile work --print', { stdout: 'closed' })
    expect(code).toBe(1)
    expect(stderr).toContain('The token is stored but could not be printed')
    await world.expect('token', { stdout: `${TOKEN}\n` })
  })
})
