import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'

const command = resolve(import.meta.dirname, '../../dist/src/cli/main.cjs')

/** Runs the command as built. */
function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], { encoding: 'utf8' })
  return { status, stdout, stderr }
}

const program = await createProgram()

describe('the command line', () => {
  test.each([
    [['demo', '--interval', '0'], 'Expected a whole number of seconds from 1 to 300', 'demo --help'],
    [['demo', '--approve', '--deny'], "'--approve' cannot be used with option '--deny'", 'demo --help'],
    [['demo', '--aprove'], 'Did you mean --approve?', 'demo --help'],
    [['dmeo'], 'Did you mean demo?', '--help'],
    [['help', 'dmeo'], "unknown command 'dmeo'\n(Did you mean demo?)", '--help'],
    [['nothing', '--help'], "unknown command 'nothing'", '--help'],
    [['completion', 'cmd'], 'Allowed choices are bash, zsh, fish', 'completion --help'],
  ])('refuses %j with an error and a hint', (args, message, hint) => {
    const { status, stdout, stderr } = run(...args)
    expect(status).toBe(2)
    expect(stderr).toContain(message)
    expect(stderr).toContain(`See: authgraph ${hint}`)
    expect(stdout).toBe('')
  })

  test('shows the help without arguments', () => {
    expect(run()).toMatchObject({ status: 0, stdout: expect.stringContaining('demo'), stderr: '' })
  })

  test('reports a bug without printing source code', () => {
    const preload = 'data:text/javascript,setTimeout(() => { throw new TypeError("odd") })'
    const serve = [command, 'serve', '--demo-client', '--port', '0']
    const { status, stderr } = spawnSync(process.execPath, ['--import', preload, ...serve], {
      encoding: 'utf8',
    })
    expect(status).toBe(1)
    expect(stderr).toMatch(/This is a bug in authgraph.*\nTypeError: odd\n {4}at /)
  })

  test.each(['--version', '-V'])('prints its version for %s', (option) => {
    expect(run(option)).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
  })

  test('shows the same help for "help" and "--help"', () => {
    expect(run('help')).toEqual(run('--help'))
    expect(run('help', 'login')).toEqual(run('login', '--help'))
  })

  test.each(program.commands.map((declared) => declared.name()))(
    '%s has help with exit codes and examples in 80 columns',
    (name) => {
      const { status, stdout } = run(name, '--help')
      expect(status).toBe(0)
      expect(stdout).toMatch(/^Exit codes:\n {2}0 {4}.*\n(.*\n)* {2}2 {4}usage error$/m)
      expect(stdout).toMatch(new RegExp(`^Examples:\n  [^]*authgraph ${name}`, 'm'))
      expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
    },
  )
})
