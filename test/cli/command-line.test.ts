import { execFileSync } from 'node:child_process'
import { describe, expect } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { COMMAND } from './support/command.ts'
import { test } from './support/world.ts'

const program = await createProgram()

describe('the command line', { concurrent: true }, () => {
  test('shows the help without arguments, and the same for "help" and "--help"', async ({ world }) => {
    const { stdout } = await world.expect([], { stdout: ['Start with authgraph demo.'], stderr: '' })
    expect(stdout).toMatch(/^ {2}help .*\n\nOptions:\n/m)
    await world.expect('help', { stdout })
    await world.expect('--help', { stdout })
    await world.expect('help help', { stdout })
    const terminal = world.open([])
    await terminal.shows(/Start with/)
    expect(terminal.raw()).toContain('Start with \u001b[36mauthgraph demo\u001b[39m.')
    expect(await world.run('help login')).toEqual(await world.run('login --help'))
    expect(await world.run('help mcp login')).toEqual(await world.run('mcp login --help'))
  })

  test.for([
    ['status --json', 1, 'no_login'],
    ['jwt --app-id 1 --key app.pem --json', 2, 'usage'],
    ['demo --json --aprove', 2, 'usage'],
    ['serve --json --tls-key ghp_12345678', 2, 'secret_in_argument'],
  ] as const)('reports the error of %s as JSON', async ([words, exitCode, code], { world }) => {
    const stdout = new RegExp(`^\\{"event":"failed","code":"${code}","message":".*\\}\\n$`)
    await world.expect(words, { code: exitCode, stdout, stderr: '' })
  })

  test('reports a bug without printing source code', async ({ world }) => {
    const bug = encodeURIComponent('setTimeout(() => { throw new TypeError("odd") })')
    const stderr = /This is a bug in authgraph.*\nTypeError: odd\n {4}at /
    const env = { NODE_OPTIONS: `--import data:text/javascript,${bug}` }
    await world.expect('serve --demo-client --port 0', { code: 1, stderr }, { env })
  })

  test('runs as a program, as npx does in a clone, and prints its version', () => {
    for (const option of ['--version', '-V'])
      expect(execFileSync(COMMAND, [option], { encoding: 'utf8' })).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  test.for([
    ['help', /Run any command with --help to see its\noptions\.$/m],
    ['login --help', /^ {2}75 {3}saved before it finished\n {7}\(--no-wait\)$/m],
  ] as const)('wraps the end of %s in a narrow terminal', async ([words, end], { world }) => {
    const terminal = world.open(words, { columns: 40 })
    await terminal.exit
    expect(terminal.screen()).toMatch(end)
  })

  const names = program.commands.flatMap((declared) => [
    declared.name(),
    ...declared.commands.map((each) => `${declared.name()} ${each.name()}`),
  ])

  test.for(names)('%s has help with exit codes and examples in 80 columns', async (name, { world }) => {
    const { stdout } = await world.expect(`${name} --help`, {})
    expect(stdout).toMatch(/^Exit codes:\n {2}0 {4}.*\n(.*\n)* {2}2 {4}usage error$/m)
    expect(stdout).toMatch(new RegExp(`^Examples:\n  [^]*authgraph ${name}`, 'm'))
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  })
})
