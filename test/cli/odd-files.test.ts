import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect } from 'vitest'
import { COMMAND } from './support/command.ts'
import { loggedIn, TOKEN } from './support/logged-in.ts'
import { granted } from './support/scripted-http.ts'
import { loginTo, test } from './support/world.ts'

describe('a pipe in place of a file', { concurrent: true }, () => {
  test.for([
    ['state/logins/work.json', ['token', '--profile', 'work']],
    ['state/logins/work.json', ['logout', '--all']],
    ['state/current.json', ['token']],
    ['state/unfinished/work.json', ['login', '--resume', '--profile', 'work']],
    ['.authgraph.json', ['token']],
    ['.authgraph.json', ['switch', '--profile', 'work', '--here']],
  ] as const)('%s does not hang %j', async ([name, args], { world }) => {
    await loggedIn(world)
    const path = join(world.folder, name)
    mkdirSync(join(path, '..'), { recursive: true })
    rmSync(path, { force: true })
    execFileSync('mkfifo', [path])
    const { stdout, stderr } = await world.expect(args, { code: 1 }, { cwd: world.folder })
    expect(stdout + stderr).toMatch(
      args[0] === 'switch'
        ? /^✗ \.authgraph\.json cannot be written in this folder \(ENXIO\)\n$/
        : name === '.authgraph.json'
          ? /^✗ \S+ cannot be used \(not a regular file\): correct it, or delete it\n$/
          : /^✗ \S+ cannot be used \(not a regular file\)/,
    )
  })
})

describe('a relative XDG_STATE_HOME', { concurrent: true }, () => {
  test('is ignored: no token is stored below the working directory', async ({ world }) => {
    const { url } = await world.scripted({ polls: [granted(TOKEN)] })
    const cwd = join(world.folder, 'project')
    mkdirSync(cwd)
    const env = { AUTHGRAPH_CONFIG_DIR: '', XDG_STATE_HOME: 'rel' }
    await world.expect([...loginTo(url), '--profile', 'work'], {}, { cwd, env })
    expect(readdirSync(cwd)).toEqual([])
    expect(existsSync(join(world.folder, '.local/state/authgraph/logins/work.json'))).toBe(true)
  })
})

describe('a working directory that was deleted', { concurrent: true }, () => {
  test.for([
    [['token'], `${TOKEN}\n`, ''],
    [['api', '/user'], '{"login":"octocat"}\n', ''],
    [
      ['switch', '--profile', 'work', '--here'],
      '',
      '✗ .authgraph.json cannot be written in this folder (ENOENT)\n',
    ],
  ] as const)('selects no login for %j', async ([args, stdout, stderr], { world }) => {
    await loggedIn(world)
    const cwd = join(world.folder, 'project')
    mkdirSync(cwd)
    const line = 'cd "$0" && rmdir "$0" && exec "$@"'
    const ended = await promisify(execFile)('sh', ['-c', line, cwd, process.execPath, COMMAND, ...args], {
      env: world.env,
    }).catch((error) => error)
    expect(ended).toMatchObject({ stdout, stderr })
  })
})
