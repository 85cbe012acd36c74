import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { BUGS } from './bugs.js'
import { PROFILES } from './profiles.ts'

interface Result {
  readonly digest: string
  readonly logins: number
  readonly violations: readonly { readonly login: number; readonly what: string }[]
}

const run = promisify(execFile)

async function simulate(...given: string[]): Promise<string> {
  const program = resolve(import.meta.dirname, 'run.js')
  // It exits with 1 where it finds something.
  const { stdout } = await run(process.execPath, [program, ...given]).catch((error) => error)
  return stdout
}

async function resultOf(...given: string[]): Promise<Result> {
  return JSON.parse(await simulate('--json', ...given))
}

test.each([
  [['--nope'], "Unknown option '--nope'"],
  [['--profile', 'toString'], '--profile must be all, or one of calm, memory'],
  [['--bug', 'nope'], '--bug must be one of store-update-not-atomic, '],
  [['--trace', '1:2'], '--trace must be SEED:LOGIN'],
  [['--profile', 'calm', '--trace', 'a:b'], '--trace must be SEED:LOGIN'],
  [['--seed', '1.5'], '--seed must be a whole number'],
])('refuses %j in one line', async (given, message) => {
  const program = resolve(import.meta.dirname, 'run.js')
  const { code, stderr } = await run(process.execPath, [program, ...given]).catch((error) => error)
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
  expect(stderr).toMatch(/^.*\nSee: .*--help\n$/)
})

test('nothing is wrong with logins of every profile, and a seed gives the same run again', async () => {
  const logins = 25 * Object.keys(PROFILES).length
  const [first, second, other] = await Promise.all([
    resultOf('--logins', String(logins)),
    resultOf('--logins', String(logins)),
    resultOf('--logins', String(logins), '--seed', '2'),
  ])
  expect(first.violations).toEqual([])
  expect(first.logins).toBeGreaterThanOrEqual(logins)
  expect(second).toMatchObject({ digest: first.digest, logins: first.logins })
  expect(other.digest).not.toBe(first.digest)
})

test('a login is replayed as both sides saw it', async () => {
  const trace = await simulate('--profile', 'calm', '--trace', '1:11')
  expect(trace).toMatch(/^minute 0\n *\d+\.\d{3} s {2}device +begins\n/)
  expect(trace).toMatch(/store +none -> requested/)
  expect(trace).toMatch(/device +ends \w+ \n/)
  expect(await simulate('--profile', 'calm', '--trace', '1:11')).toBe(trace)
})

test('the printed command replays a violation, also that of a seeded bug', async () => {
  const given = ['--bug', 'claim-never-lapses', '--profile', 'claims', '--logins', '50', '--until-caught']
  const [, command = ''] = /npm run simulate -- (.+)/.exec(await simulate(...given)) ?? []
  expect(await simulate(...command.split(' '))).toContain('VIOLATION')
})

describe('finds', () => {
  test.concurrent.each(Object.entries(BUGS))(
    '%s',
    async (bug, { profile, logins, seed, found }) => {
      const amount = ['--logins', String(logins), '--seed', seed]
      const given = ['--bug', bug, '--profile', profile, ...amount, '--until-caught']
      const { violations } = await resultOf(...given)
      expect(violations.map(({ what }) => what)).toContainEqual(expect.stringContaining(found))
    },
    300_000,
  )
})
