import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { linesOfJson } from './support/command.ts'
import { granted } from './support/scripted-http.ts'
import { test, type World } from './support/world.ts'

const ENV_TOKEN = 'gho_tokenOfTheEnvironment0123'

/** Logs in as a profile to a service that issues this token. */
async function login(world: World, profile: string) {
  const token = `gho_tokenOf${profile}0123456789`
  const service = await world.scripted({ polls: [granted(token)] })
  const args = ['login', '--host', service.url, '--client-id', 'id', '--store', 'file', '--profile', profile]
  expect((await world.run(args)).code).toBe(0)
  return { ...service, token, host: new URL(service.url).host }
}

const tokenOf = async (world: World, options: { readonly cwd?: string } = {}) =>
  (await world.run(['token'], options)).stdout.trim()

describe('authgraph switch', { concurrent: true, timeout: 120_000 }, () => {
  test('uses the other one of two logins, until the next login', async ({ world }) => {
    const work = await login(world, 'work')
    const home = await login(world, 'home')
    expect(await tokenOf(world)).toBe(home.token)
    expect(await world.run(['switch'])).toEqual({
      code: 0,
      stdout: `✓ Using work (${work.host})\n`,
      stderr: '',
    })
    expect(await tokenOf(world)).toBe(work.token)
    for (const { isFile, mode } of world.files()) expect(mode).toBe(isFile ? 0o600 : 0o700)
    const status = linesOfJson((await world.run(['status', '--json'])).stdout)
    expect(status.map(({ profile, current }) => [profile, current])).toEqual([
      ['work', true],
      ['home', false],
    ])
    const other = await login(world, 'other')
    expect(await tokenOf(world)).toBe(other.token)
    expect(await world.run(['switch'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('choose one with --profile (other, home, work)'),
    })
    expect((await world.run(['switch', '--profile', 'home'])).code).toBe(0)
    expect(await tokenOf(world)).toBe(home.token)
    expect((await world.run(['switch', '--profile', 'nobody'])).code).toBe(1)
  })

  test('follows the last login again when the chosen one is gone', async ({ world }) => {
    await login(world, 'work')
    const home = await login(world, 'home')
    await world.run(['switch', '--profile', 'work'])
    expect((await world.run(['logout'])).stdout).toContain('Logged out of work')
    expect(await tokenOf(world)).toBe(home.token)
  })

  test('--here selects a login for a folder and those below, by names only', async ({ world }) => {
    const work = await login(world, 'work')
    const home = await login(world, 'home')
    const below = join(world.folder, 'project', 'packages', 'one')
    mkdirSync(below, { recursive: true })
    const cwd = join(world.folder, 'project')
    const file = join(cwd, '.authgraph.json')
    expect(await world.run(['switch', '--profile', 'work', '--here'], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(file),
    })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ profile: 'work', host: work.host })
    expect(await tokenOf(world, { cwd: below })).toBe(work.token)
    expect(await tokenOf(world)).toBe(home.token)
    const [here] = linesOfJson((await world.run(['status', '--json'], { cwd })).stdout).filter(
      ({ current }) => current,
    )
    expect(here).toMatchObject({ profile: 'work' })
  })

  test('refuses a folder that selects a login to another host, before anything is sent', async ({
    world,
  }) => {
    const work = await login(world, 'work')
    const home = await login(world, 'home')
    const file = join(world.folder, '.authgraph.json')
    writeFileSync(file, JSON.stringify({ profile: 'work', host: home.host }))
    const sent = work.requests.length + home.requests.length
    for (const args of [['token'], ['api', '/user'], ['logout']]) {
      const { code, stdout, stderr } = await world.run(args, { cwd: world.folder })
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/selects a login to another host[\s\S]*Nothing was sent/)
    }
    expect(work.requests.length + home.requests.length).toBe(sent)
    const status = await world.run(['status', '--json'], { cwd: world.folder })
    expect(status.code).toBe(1)
    expect(linesOfJson(status.stdout).at(-1)).toMatchObject({ error: { code: 'wrong_host' } })
    expect(linesOfJson(status.stdout).some(({ current }) => current)).toBe(false)
  })

  test.for([
    ['not JSON', 'work', 'must contain'],
    ['more than names', '{"profile":"work","host":"localhost","token":"gho_x"}', 'must contain'],
    ['no saved login', '{"profile":"nobody","host":"localhost"}', 'not saved'],
    ['a path', '{"profile":"../work","host":"localhost"}', 'not saved'],
  ] as const)('refuses a folder file with %s, and quotes nothing of it', async ([, text, why], { world }) => {
    await login(world, 'work')
    writeFileSync(join(world.folder, '.authgraph.json'), text)
    const { code, stdout, stderr } = await world.run(['token'], { cwd: world.folder })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(why)
    expect(stderr).not.toMatch(/gho_x|\.\.\/work/)
  })
})

describe('a token in the environment', { concurrent: true, timeout: 120_000 }, () => {
  test('takes precedence over the stored login, and status names it', async ({ world }) => {
    const work = await login(world, 'work')
    const env = { AUTHGRAPH_TOKEN: ENV_TOKEN, AUTHGRAPH_HOST: work.url }
    expect(await world.run(['token'], { env })).toEqual({ code: 0, stdout: `${ENV_TOKEN}\n`, stderr: '' })
    expect((await world.run(['token', '--profile', 'work'], { env })).stdout).toBe(`${work.token}\n`)
    const status = await world.run(['status'], { env })
    expect(status.stdout).toContain('✓ AUTHGRAPH_TOKEN (current)\n  user        octocat\n')
    expect(status.stdout).toContain('the environment variable AUTHGRAPH_TOKEN')
    expect(status.stdout).not.toContain(ENV_TOKEN)
    const [first, second] = linesOfJson((await world.run(['status', '--json'], { env })).stdout)
    expect(first).toMatchObject({ source: 'AUTHGRAPH_TOKEN', current: true, user: 'octocat' })
    expect(second).toMatchObject({ profile: 'work', current: false })
    const sent = () => work.requests.at(-1)?.authorization
    expect((await world.run(['api', '/user'], { env })).code).toBe(0)
    expect(sent()).toBe(`Bearer ${ENV_TOKEN}`)
    await world.run(['api', '/user', '--profile', 'work'], { env })
    expect(sent()).toBe(`Bearer ${work.token}`)
  })

  test('needs no login, and is sent to its own host only', async ({ world }) => {
    const { url, requests } = await world.scripted()
    const other = await world.scripted()
    const env = { AUTHGRAPH_TOKEN: ENV_TOKEN, AUTHGRAPH_HOST: url }
    expect((await world.run(['status'], { env })).code).toBe(0)
    expect((await world.run(['api', '/user', '--host', url], { env })).code).toBe(0)
    expect(requests.at(-1)?.authorization).toBe(`Bearer ${ENV_TOKEN}`)
    expect(await world.run(['api', '/user', '--host', other.url], { env })).toMatchObject({ code: 1 })
    expect(other.requests).toEqual([])
    const { host } = new URL(url)
    const ask = (lines: string, more = {}) =>
      world.run(['git-credential', 'get'], { env: { ...env, ...more }, input: lines })
    expect((await ask(`protocol=http\nhost=${host}\n`)).stdout).toBe(
      `username=x-access-token\npassword=${ENV_TOKEN}\n`,
    )
    for (const lines of [`protocol=https\nhost=${host}\n`, 'protocol=https\nhost=github.com\n', 'path=x\n'])
      expect((await ask(lines)).stdout).toBe('')
  })

  test('GH_TOKEN is for github.com, and replaces no login to another host', async ({ world }) => {
    const env = { GH_TOKEN: ENV_TOKEN }
    expect((await world.run(['token'], { env })).stdout).toBe(`${ENV_TOKEN}\n`)
    const github = { env, input: 'protocol=https\nhost=github.com\n' }
    const work = await login(world, 'work')
    expect((await world.run(['token'], { env })).stdout).toBe(`${work.token}\n`)
    expect((await world.run(['git-credential', 'get'], github)).stdout).toContain(`password=${ENV_TOKEN}\n`)
  })

  test.for([
    [{ AUTHGRAPH_TOKEN: 'two\nlines' }, 'AUTHGRAPH_TOKEN contains characters'],
    [
      { AUTHGRAPH_TOKEN: ENV_TOKEN, AUTHGRAPH_HOST: 'http://login.acme.test' },
      'AUTHGRAPH_HOST is not a host',
    ],
  ] as const)('refuses %j', async ([env, why], { world }) => {
    const { code, stdout, stderr } = await world.run(['token'], { env })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(why)
    expect(stderr).not.toMatch(/two|lines|acme/)
  })
})

test('logout --all ends every login, also a damaged one', async ({ world }) => {
  await login(world, 'work')
  await login(world, 'home')
  writeFileSync(join(world.folder, 'state', 'logins', 'damaged.json'), 'nothing')
  const { code, stdout } = await world.run(['logout', '--all'])
  expect(code).toBe(0)
  for (const name of ['work', 'home', 'damaged']) expect(stdout).toContain(`✓ Logged out of ${name}`)
  expect(await world.run(['logout', '--all'])).toMatchObject({ code: 1 })
  expect((await world.run(['logout', '--all', '--profile', 'work'])).code).toBe(2)
}, 60_000)
