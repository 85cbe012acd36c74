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

test('prints its usage', async () => {
  expect(await simulate('--help')).toMatch(/^Usage: npm run simulate .*\n {2}--until-caught /s)
})

test.each([
  [['--nope'], "Unknown option '--nope'"],
  [['--profile', 'nope'], '--profile must be all, or one of calm, memory'],
  [['--profile', 'toString'], '--profile must be all, or one of calm, memory'],
  [['--bug', 'nope'], '--bug must be one of store-update-not-atomic, '],
  [['--bug'], "'--bug <value>' argument missing"],
  [['--trace', '1:2'], '--trace must be SEED:LOGIN'],
  [['--profile', 'calm', '--trace', '1'], '--trace must be SEED:LOGIN'],
  [['--profile', 'calm', '--trace', 'a:b'], '--trace must be SEED:LOGIN'],
  [['--logins', 'many'], '--logins must be a whole number'],
  [['--seed', '1.5'], '--seed must be a whole number'],
])('refuses %j in one line', async (given, message) => {
  const program = resolve(import.meta.dirname, 'run.js')
  const { code, stderr } = await run(process.execPath, [program, ...given]).catch((error) => error)
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
  expect(stderr).toMatch(/^.*\nSee: .*--help\n$/)
})

test.each(['harsh', 'sessions'])(
  'a seed of %s gives the same run again, whatever else the machine does, and another seed another one',
  async (profile) => {
    const [first, second, other] = await Promise.all([
      resultOf('--profile', profile, '--logins', '25'),
      resultOf('--profile', profile, '--logins', '25'),
      resultOf('--profile', profile, '--logins', '25', '--seed', '2'),
    ])
    expect(second).toMatchObject({ digest: first.digest, logins: first.logins })
    expect(other.digest).not.toBe(first.digest)
  },
)

test('nothing is wrong with some logins of every profile', async () => {
  const { violations, logins } = await resultOf('--logins', String(25 * Object.keys(PROFILES).length))
  expect(violations).toEqual([])
  expect(logins).toBeGreaterThanOrEqual(25 * Object.keys(PROFILES).length)
})

test('a login is replayed as both sides saw it', async () => {
  const trace = await simulate('--profile', 'calm', '--trace', '1:11')
  expect(trace).toMatch(/^minute 0\n *\d+\.\d{3} s {2}device +begins\n/)
  expect(trace).toMatch(/store +none -> requested/)
  expect(trace).toMatch(/device +ends \w+ \n/)
  expect(await simulate('--profile', 'calm', '--trace', '1:11')).toBe(trace)
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
