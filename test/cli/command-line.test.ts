import { execFileSync, spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'

const command = resolve(import.meta.dirname, '../../dist/src/cli/main.cjs')

/** Runs the command as built. */
function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], { encoding: 'utf8' })
  return { status, stdout, stderr }
}

describe('the command line', () => {
  test.each([
    [['demo', '--interval', '0'], 'It takes a whole number of seconds from 1 to 300', 'demo --help'],
    [['demo', '--approve', '--deny'], "'--approve' cannot be used with option '--deny'", 'demo --help'],
    [['demo', '--aprove'], 'Did you mean --approve?', 'demo --help'],
    [['dmeo'], 'Did you mean demo?', '--help'],
    [['completion', 'cmd'], 'Allowed choices are bash, zsh, fish', 'completion --help'],
  ])('%j is refused with a sentence and a hint', (args, sentence, hint) => {
    const { status, stdout, stderr } = run(...args)
    expect(status).toBe(2)
    expect(stderr).toContain(sentence)
    expect(stderr).toContain(`See: authgraph ${hint}`)
    expect(stdout).toBe('')
  })

  test('without words it shows what there is', () => {
    expect(run()).toMatchObject({ status: 0, stdout: expect.stringContaining('demo'), stderr: '' })
  })

  test('a mistake of its own is told without the text of the program', () => {
    const preload = 'data:text/javascript,setTimeout(() => { throw new TypeError("odd") })'
    const serve = [command, 'serve', '--demo-client', '--port', '0']
    const { status, stderr } = spawnSync(process.execPath, ['--import', preload, ...serve], {
      encoding: 'utf8',
    })
    expect(status).toBe(1)
    expect(stderr).toMatch(/This is a mistake of authgraph.*\nTypeError: odd\n {4}at /)
  })

  test('tells its version', () => {
    expect(run('--version')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
  })

  test.each(createProgram().commands.map((declared) => declared.name()))(
    '%s has a help with exit codes and examples',
    (name) => {
      const { status, stdout } = run(name, '--help')
      expect(status).toBe(0)
      expect(stdout).toMatch(/^Exit codes:\n {2}0 {4}.*\n(.*\n)* {2}2 {4}wrong usage$/m)
      expect(stdout).toMatch(new RegExp(`^Examples:\n  .*authgraph ${name}`, 'm'))
    },
  )
})

describe('completion', () => {
  test('bash completes the commands and their options', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is bash.
    const listed = 'printf "%s\\n" "${COMPREPLY[@]}"'
    const complete = (words: string[]) =>
      execFileSync('bash', [
        '-c',
        `enable -n mapfile; source <("$0" "$1" completion bash); COMP_WORDS=(${words.join(' ')} ''); COMP_CWORD=${words.length}; ` +
          `_authgraph; ${listed}`,
        process.execPath,
        command,
      ])
        .toString()
        .trim()
        .split('\n')
    expect(complete(['authgraph'])).toEqual(expect.arrayContaining(['login', 'demo', 'completion']))
    expect(complete(['authgraph', 'demo'])).toEqual(expect.arrayContaining(['--approve', '--interval']))
    expect(complete(['authgraph', 'login'])).toEqual(expect.arrayContaining(['--resume', '--no-wait']))
    expect(complete(['authgraph', 'completion'])).toEqual(expect.arrayContaining(['bash', 'zsh', 'fish']))
  })

  test.each(['zsh', 'fish'])('%s is told of every command', (shell) => {
    const { status, stdout } = run('completion', shell)
    expect(status).toBe(0)
    for (const declared of createProgram().commands) expect(stdout).toContain(declared.name())
  })
})
