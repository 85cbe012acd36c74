import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { spawn } from '@lydell/node-pty'
import { describe, expect } from 'vitest'
import { COMMAND } from './support/command.ts'
import { test, type World } from './support/world.ts'

const runFile = promisify(execFile)

const PROFILE = { address: { host: 'github.com' }, scopes: [], store: 'file', since: 1 }

/** A user with the command, its completion script, and three profiles, one of which has a hostile name. */
async function userOf(world: World, shell: string) {
  const bin = join(world.folder, 'bin')
  mkdirSync(bin)
  const calls = join(world.folder, 'calls')
  const command = `#!/bin/sh\necho "$*" >> '${calls}'\nexec '${process.execPath}' '${COMMAND}' "$@"\n`
  writeFileSync(join(bin, 'authgraph'), command)
  chmodSync(join(bin, 'authgraph'), 0o755)
  const logins = join(world.folder, 'state', 'logins')
  mkdirSync(logins, { recursive: true })
  for (const name of ['work', 'localhost:8080', '$(touch pwned)'])
    writeFileSync(
      join(logins, `${encodeURIComponent(name)}.json`),
      JSON.stringify({ value: { profile: PROFILE } }),
    )
  writeFileSync(join(world.folder, 'app.pem'), '')
  const script = join(world.folder, 'script')
  const { code, stdout, stderr } = await world.run(['completion', shell])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  writeFileSync(script, stdout)
  return { calls, script, env: { ...world.env, PATH: `${bin}:${world.env.PATH}` }, cwd: world.folder }
}

function isThere(shell: string): boolean {
  return spawnSync(shell, ['--version']).status === 0
}

/** A command line, words to offer for its last word, and words not to offer. */
const LINES = [
  ['authgraph ', ['login', 'help', 'completion'], ['--store']],
  ['authgraph help ', ['login', 'serve'], ['--help']],
  ['authgraph login --no', ['--no-wait', '--no-qr'], ['--scopes']],
  ['authgraph login --store ', ['keyring', 'file', 'none'], ['--print']],
  ['authgraph token -p ', ['work', 'localhost:8080'], ['pwned', 'app.pem']],
  ['authgraph jwt --key ./a', ['app.pem'], ['--decode']],
  ['authgraph mcp ', ['login', 'status', 'logout'], ['demo']],
  ['authgraph completion ', ['bash', 'zsh', 'fish'], ['app.pem']],
] as const

describe('completion', { concurrent: true, timeout: 180_000 }, () => {
  test('bash completes all lines, also after an equals sign', async ({ world }) => {
    const { calls, script, env, cwd } = await userOf(world, 'bash')
    const complete = async (words: string, at: string, more = '') => {
      const line = `${more} source '${script}'; COMP_WORDS=(${words}); COMP_CWORD=${at}; _authgraph
        if [ \${#COMPREPLY[@]} -eq 0 ]; then compgen -f -- "\${COMP_WORDS[COMP_CWORD]}" || true
        else printf '%s\n' "\${COMPREPLY[@]}"; fi`
      return (await runFile('bash', ['-c', line], { env, cwd })).stdout.replaceAll('./', '')
    }
    for (const [line, offered, others] of LINES) {
      // Without mapfile, as on macOS. Without words, readline completes files.
      const last = `$((\${#COMP_WORDS[@]} - 1))`
      const shown = await complete(line.endsWith(' ') ? `${line} ''` : line, last, 'enable -n mapfile;')
      expectWords(shown.split('\n'), offered, others)
    }
    expect(await complete('authgraph login --store =', '3')).toBe('keyring\nfile\nnone\n')
    expect(await complete('authgraph login --store = f', '4')).toBe('file\n')
    await expectNoWords(calls, 'bash', () => complete(SECRET, '4'))
  })

  test.skipIf(!isThere('fish'))('fish completes all lines, and shows descriptions', async ({ world }) => {
    const { calls, script, env, cwd } = await userOf(world, 'fish')
    const complete = async (line: string) =>
      (await runFile('fish', ['-c', `source '${script}'; complete -C '${line}'`], { env, cwd })).stdout
    for (const [line, offered, others] of LINES) {
      const words = (await complete(line)).split('\n').map((offer) => offer.replace(/\t.*|\.\//g, ''))
      expectWords(words, offered, others)
    }
    expect(await complete('authgraph login --store=k')).toBe('--store=keyring\n')
    const described = '--store\tstore the token here (default: keyring)\n'
    expect(await complete('authgraph login --sto')).toBe(described)
    await expectNoWords(calls, 'fish', () => complete(SECRET))
  })

  test.skipIf(!isThere('zsh'))('zsh completes all lines, and shows descriptions', async ({ world }) => {
    const { press, reach, calls } = await zsh(world)
    for (const [keys, offered, others] of [
      ...LINES.map(([line, ...words]) => [`${line}\t\t`, ...words] as const),
      ['authgraph login --store=k\t', ['--store=keyring'], []],
      ['authgraph login --\t', ['-- store the token here (default: keyring)'], []],
      ['authgraph serve --\t', ['-- register clients from JSON: [{ "clientId": "…", "name": "…" }]'], []],
    ] as const) {
      const shown = await reach(press(keys), offered)
      for (const word of others) expect(shown).not.toContain(word)
      // A new prompt.
      await reach(press('\x15print ne""xt\r'), ['next\r\n'])
    }
    await expectNoWords(calls, 'zsh', async () => {
      press(`${SECRET}\t\x15`)
      await reach(press('print do""ne\r'), ['done\r\n'])
    })
  })
})

const SECRET = 'authgraph api /user --secret ghp_0123456789'

/** Expects that the shell passes no word of a line as an argument, which other users can read. */
async function expectNoWords(calls: string, shell: string, complete: () => Promise<unknown>): Promise<void> {
  await complete()
  expect(new Set(readFileSync(calls, 'utf8').split('\n'))).toEqual(new Set([`completion ${shell}`, '']))
}

function expectWords(words: readonly string[], offered: readonly string[], others: readonly string[]): void {
  expect(words).toEqual(expect.arrayContaining([...offered]))
  for (const word of others) expect(words).not.toContain(word)
}

/** A zsh at its prompt that has loaded the script. */
async function zsh(world: World) {
  const { calls, script, env, cwd } = await userOf(world, 'zsh')
  const shell = spawn('zsh', ['-f'], { cols: 200, rows: 60, cwd, env: { ...env, TERM: 'dumb', PS1: '' } })
  world.onEnd(() => shell.kill('SIGKILL'))
  let text = ''
  let check = () => {}
  shell.onData((data) => {
    text += data
    check()
  })
  const press = (keys: string): number => {
    const from = text.length
    shell.write(keys)
    return from
  }
  /** Waits until the shell has printed all of these words. */
  const reach = (from: number, words: readonly string[]) =>
    new Promise<string>((resolve) => {
      check = () => {
        if (words.every((word) => text.slice(from).includes(word))) resolve(text.slice(from))
      }
      check()
    })
  const ready = `autoload -U compinit && compinit -u -D && source '${script}' && print rea""dy\r`
  await reach(press(ready), ['ready\r\n'])
  return { calls, press, reach }
}
