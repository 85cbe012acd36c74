import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect } from 'vitest'
import { COMMAND } from './support/command.ts'
import { loggedIn, TOKEN } from './support/logged-in.ts'
import { test } from './support/world.ts'

const NOT_REGULAR = /✗ Cannot use \S+ \(not a regular file\): delete or move it\n$/
const HERE = 'switch --profile work --here'

describe('a pipe in place of a file', { concurrent: true }, () => {
  test.for([
    ['state/logins/work.json', 'token --profile work', NOT_REGULAR],
    ['state/logins/work.json', 'logout --all', NOT_REGULAR],
    ['state/current.json', 'token', NOT_REGULAR],
    ['state/unfinished/work.json', 'login --resume --profile work', NOT_REGULAR],
    ['.authgraph.json', 'token', /\(not a regular file\): correct it, or delete it\n$/],
    [
      '.authgraph.json',
      HERE,
      /^✗ Cannot write \.authgraph\.json in this folder \(no such device or address\): delete it if it exists, or use a folder that you can write to\n$/,
    ],
  ] as const)('%s does not hang %j', async ([name, words, stderr], { world }) => {
    await loggedIn(world)
    const path = join(world.folder, name)
    mkdirSync(join(path, '..'), { recursive: true })
    rmSync(path, { force: true })
    execFileSync('mkfifo', [path])
    await world.expect(words, { code: 1, stderr }, { cwd: world.folder })
  })
})

describe('a working directory that was deleted', { concurrent: true }, () => {
  test.for([
    ['token', `${TOKEN}\n`, ''],
    [
      HERE,
      '',
      '✗ Cannot write .authgraph.json in this folder (no such file or directory): delete it if it exists, or use a folder that you can write to\n',
    ],
  ] as const)('selects no login for %j', async ([words, stdout, stderr], { world }) => {
    await loggedIn(world)
    const cwd = join(world.folder, 'project')
    mkdirSync(cwd)
    const line = 'cd "$0" && rmdir "$0" && exec "$@"'
    const args = ['-c', line, cwd, process.execPath, COMMAND, ...words.split(' ')]
    const ended = await promisify(execFile)('sh', args, { env: world.env }).catch((error) => error)
    expect(ended).toMatchObject({ stdout, stderr })
  })
})
