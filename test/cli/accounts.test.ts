import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { linesOfJson } from './support/command.ts'
import { granted } from './support/scripted-http.ts'
import { loginTo, test, type World } from './support/world.ts'

const ENV_TOKEN = 'gho_tokenOfTheEnvironment0123'

/** Logs in as a profile to a service that issues this token. */
async function login(world: World, profile: string) {
  const token = `gho_tokenOf${profile}0123456789`
  const service = await world.scripted({ polls: [granted(token)] })
  await world.expect([...loginTo(service.url), '--profile', profile], {})
  return { ...service, token, host: new URL(service.url).host }
}

const expectToken = (world: World, token: string, options = {}) =>
  world.expect('token', { stdout: `${token}\n`, stderr: '' }, options)

describe('authgraph switch', { concurrent: true, timeout: 120_000 }, () => {
  test('uses the other one of two logins, until the next login or the end of the chosen one', async ({
    world,
  }) => {
    const work = await login(world, 'work')
    const home = await login(world, 'home')
    await expectToken(world, home.token)
    await world.expect('switch', { stdout: `✓ Using work (${work.host})\n`, stderr: '' })
    await expectToken(world, work.token)
    for (const { isFile, mode } of world.files()) expect(mode).toBe(isFile ? 0o600 : 0o700)
    expect(linesOfJson((await world.run('status --json')).stdout)).toMatchObject([
      { profile: 'work', current: true },
      { profile: 'home', current: false, refreshable: false },
    ])
    const other = await login(world, 'other')
    await expectToken(world, other.token)
    await world.expect('switch', { code: 2, stderr: ['choose one with --profile (other, home, work)'] })
    const stderr = ['No login named "nobody": choose one with --profile (other, home, work)']
    for (const words of ['switch', 'logout'])
      await world.expect(`${words} --profile nobody`, { code: 1, stderr })
    await world.expect('switch --profile home', {})
    await world.expect('logout', { stdout: ['Logged out of home'] })
    await expectToken(world, other.token)
  })

  test('--here selects a login for a folder and those below, by names only', async ({ world }) => {
    const work = await login(world, 'work')
    const home = await login(world, 'home')
    const cwd = join(world.folder, 'project')
    const below = join(cwd, 'packages', 'one')
    mkdirSync(below, { recursive: true })
    const file = join(cwd, '.authgraph.json')
    await world.expect('switch --profile work --here', { stdout: [file] }, { cwd })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ profile: 'work', host: work.host })
    await expectToken(world, work.token, { cwd: below })
    const stderr = '! In this folder, .authgraph.json selects work.\n'
    const saved = `✓ Saved the choice of home (${home.host})\n`
    await world.expect('switch --profile home', { stdout: saved, stderr }, { cwd: below })
    await expectToken(world, home.token)
  })

  test('refuses a folder that selects a login to another host, before anything is sent', async ({
    world,
  }) => {
    const work = await login(world, 'work')
    const home = await login(world, 'home')
    const cwd = world.folder
    writeFileSync(join(cwd, '.authgraph.json'), JSON.stringify({ profile: 'work', host: home.host }))
    const sent = work.requests.length + home.requests.length
    const stderr = /is not the host of the saved login work: correct the file, or delete it\n$/
    for (const words of ['token', 'api /user', 'logout'])
      await world.expect(words, { code: 1, stdout: '', stderr }, { cwd })
    expect(work.requests.length + home.requests.length).toBe(sent)
    const lines = linesOfJson((await world.expect('status --json', { code: 1 }, { cwd })).stdout)
    expect(lines.at(-1)).toMatchObject({ error: { code: 'wrong_host' } })
    expect(lines.some(({ current }) => current)).toBe(false)
  })

  test.for([
    ['not JSON', 'work', 'and nothing else, but is not JSON'],
    [
      'a comma too many',
      '{\n"profile":"gho_x",\n}',
      'and nothing else, but is not JSON (line 3): correct it',
    ],
    ['a text', '"gho_x"', 'and nothing else: correct'],
    ['no host', '{"profile":"work"}', 'but has no valid "host": '],
    [
      'more than names',
      '{"profile":"work","host":"localhost","token":"gho_x"}',
      'but has an unknown "token": ',
    ],
    ['a path', '{"profile":"../work","host":"localhost"}', 'contains an invalid profile name or host: '],
    ['a host that is no host', '{"profile":"work","host":"x;gho_x"}', 'contains an invalid profile name or'],
  ] as const)('refuses a folder file with %s, and quotes nothing of it', async ([, text, why], { world }) => {
    writeFileSync(join(world.folder, '.authgraph.json'), text)
    const ended = {
      code: 1,
      stdout: '',
      stderr: [why],
      never: ['gho_x', '../work'],
    }
    await world.expect('token', ended, { cwd: world.folder })
  })
})

describe('a folder that selects a login', { concurrent: true }, () => {
  test('that is not saved or not finished says which, and how to log in', async ({ world }) => {
    const { url } = await world.scripted()
    const { host } = new URL(url)
    const cwd = world.folder
    const path = join(cwd, '.authgraph.json')
    writeFileSync(path, JSON.stringify({ profile: 'work', host }))
    const how = `run authgraph login --profile work --host ${host} --client-id ID, or delete the file`
    const stderr = `✗ ${path} selects the login work, which is not saved: ${how}\n`
    await world.expect('token', { code: 1, stdout: '', stderr }, { cwd })
    await world.expect([...loginTo(host), '--profile', 'work', '--no-wait'], { code: 75 })
    const resume = '✗ The login of work is not finished: run authgraph login --resume --profile work\n'
    await world.expect('token', { code: 1, stdout: '', stderr: resume }, { cwd })
  })
})

describe('a token in the environment', { concurrent: true, timeout: 120_000 }, () => {
  test('takes precedence over the stored login, and status names it', async ({ world }) => {
    const work = await login(world, 'work')
    const env = { AUTHGRAPH_TOKEN: ENV_TOKEN, AUTHGRAPH_HOST: work.url }
    await expectToken(world, ENV_TOKEN, { env })
    await world.expect('token --profile work', { stdout: `${work.token}\n` }, { env })
    const user = '✓ AUTHGRAPH_TOKEN (current)\n  user        octocat\n'
    const stdout = [user, 'the environment variable AUTHGRAPH_TOKEN', '✓ work\n']
    await world.expect('status', { stdout, never: [ENV_TOKEN] }, { env })
    const used = '! AUTHGRAPH_TOKEN is used until you unset it.\n'
    await world.expect('switch', { stdout: ['✓ Saved the choice of work'], stderr: used }, { env })
    const home = await world.scripted({ polls: [granted('gho_tokenOfHome0123456789')] })
    const unused = [used.replace('\n', ' To use this login, add --profile home.\n')]
    const next = { stderr: unused, never: ['Try next'] }
    await world.expect([...loginTo(home.url), '--profile', 'home'], next, { env })
    const bad = ['! AUTHGRAPH_TOKEN contains characters that a header cannot carry', 'add --profile more.\n']
    const again = { env: { AUTHGRAPH_TOKEN: 'a b' } }
    const more = await world.scripted({ polls: [granted(work.token)] })
    const saved = { stdout: ['✓ Logged in'], stderr: bad }
    await world.expect([...loginTo(more.url), '--profile', 'more'], saved, again)
    const stderr = ['✗ The current login is the variable AUTHGRAPH_TOKEN: unset it, or name a saved login']
    await world.expect('logout', { code: 2, stdout: '', stderr }, { env })
    for (const [words, sent] of [
      ['api /user', ENV_TOKEN],
      ['api /user --profile work', work.token],
    ] as const) {
      await world.expect(words, {}, { env })
      expect(work.requests.at(-1)?.authorization).toBe(`Bearer ${sent}`)
    }
  })

  test('needs no login, and is sent to its own host only', async ({ world }) => {
    const { url, requests } = await world.scripted()
    const other = await world.scripted()
    const env = { AUTHGRAPH_TOKEN: ENV_TOKEN, AUTHGRAPH_HOST: url }
    await world.expect(`api /user --host ${url}`, {}, { env })
    expect(requests.at(-1)?.authorization).toBe(`Bearer ${ENV_TOKEN}`)
    await world.expect(`api /user --host ${other.url}`, { code: 1 }, { env })
    expect(other.requests).toEqual([])
    const { host } = new URL(url)
    for (const [input, stdout] of [
      [`protocol=http\nhost=${host}\n`, `username=x-access-token\npassword=${ENV_TOKEN}\n`],
      [`protocol=https\nhost=${host}\n`, ''],
      ['path=x\n', ''],
    ] as const)
      await world.expect('git-credential get', { stdout }, { env, input })
  })

  test('says how to log in if no login is saved', async ({ world }) => {
    await world.expect('switch', {
      code: 1,
      stderr: '✗ No login is saved: run authgraph login --client-id ID\n',
    })
    const stderr = '✗ No login named "work": run authgraph login --profile work --client-id ID\n'
    await world.expect('switch --profile work', { code: 1, stderr })
  })

  test('GH_TOKEN is for github.com, and replaces no login to another host', async ({ world }) => {
    const env = { GH_TOKEN: ENV_TOKEN }
    await expectToken(world, ENV_TOKEN, { env })
    const stderr = '✗ No login is saved: the token in GH_TOKEN is used until you unset the variable\n'
    for (const words of ['switch', 'logout', 'logout --all'])
      await world.expect(words, { code: 1, stdout: '', stderr }, { env })
    const work = await login(world, 'work')
    await expectToken(world, work.token, { env })
    const github = { env, input: 'protocol=https\nhost=github.com\n' }
    await world.expect('git-credential get', { stdout: [`password=${ENV_TOKEN}\n`] }, github)
  })
})
