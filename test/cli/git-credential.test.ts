import { execFile } from 'node:child_process'
import { createReadStream, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect } from 'vitest'
import { COMMAND } from './support/command.ts'
import { FRESH, fileOf, loggedIn, RENEWABLE, TOKEN } from './support/logged-in.ts'
import { test, type World } from './support/world.ts'

const git = promisify(execFile).bind(null, 'git')

/** A git repository over HTTP that requires the token. */
async function repository(world: World) {
  const source = join(world.folder, 'source')
  const bare = join(world.folder, 'hello.git')
  mkdirSync(source)
  const env = { PATH: world.env.PATH, HOME: world.folder }
  const who = ['-c', 'user.name=Octo', '-c', 'user.email=octo@example.com']
  await git(['init', '--quiet', source], { env })
  await git(['-C', source, ...who, 'commit', '--quiet', '--allow-empty', '--message', 'Hello'], { env })
  await git(['clone', '--quiet', '--bare', source, bare], { env })
  await git(['-C', bare, 'update-server-info'], { env })
  const credentials: (string | undefined)[] = []
  const url = await world.serve((request, response) => {
    const [, credential = ''] = /^Basic (.*)$/.exec(request.headers.authorization ?? '') ?? []
    const text = Buffer.from(credential, 'base64').toString()
    credentials.push(text)
    if (text !== `x-access-token:${TOKEN}`)
      return response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
    const file = join(world.folder, new URL(request.url ?? '', url).pathname)
    if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end()
    return createReadStream(file).pipe(response)
  })
  return { url, env, credentials }
}

describe('authgraph git-credential', { concurrent: true }, () => {
  test('lets git clone a private repository', async ({ world }) => {
    const { url, env, credentials } = await repository(world)
    const token = { AUTHGRAPH_TOKEN: TOKEN, AUTHGRAPH_HOST: url }
    const helper = `!'${process.execPath}' '${COMMAND}' git-credential`
    const copy = join(world.folder, 'copy')
    await git(['-c', `credential.helper=${helper}`, 'clone', '--quiet', `${url}/hello.git`, copy], {
      env: { ...env, ...world.env, ...token, GIT_TERMINAL_PROMPT: '0' },
    })
    expect((await git(['-C', copy, 'log', '--format=%s'], { env })).stdout).toBe('Hello\n')
    expect(credentials[0]).toBe('')
    expect(credentials.at(-1)).toBe(`x-access-token:${TOKEN}`)
    expect(readFileSync(join(copy, '.git', 'config'), 'utf8')).not.toContain(TOKEN)
  })

  test('sends the token only to its own host and scheme, with its expiry', async ({ world }) => {
    const { host } = await loggedIn(world, { expires_in: 28_800 })
    const given = `protocol=http\nhost=${host}\nusername=octo\nwwwauth[]=Basic realm="a=b"\n\n`
    const stdout = new RegExp(`^username=octo\npassword=${TOKEN}\npassword_expiry_utc=\\d{10}\n$`)
    await world.expect('git-credential get', { stdout }, { input: given })
    const upper = `protocol=http\nhost=${host.replace('localhost', 'LocalHost')}\n\n`
    await world.expect('git-credential get', { stdout: [TOKEN] }, { input: upper })
    const others = [
      `https\nhost=${host}`,
      `http\nhost=octo@${host}`,
      `http\nhost=${host}/x`,
      'https\nhost=no host',
    ]
    for (const other of others)
      await world.expect('git-credential get', { stdout: '', stderr: '' }, { input: `protocol=${other}\n\n` })
    const named = `! The login of work is at http://${host}, not at the address that git asks for\n`
    const input = 'protocol=https\nhost=github.com\n\n'
    await world.expect('git-credential get --profile work', { stdout: '', stderr: named }, { input })
  })

  test.for([
    ['GitHub.com:443', true],
    ['github.com:444', false],
    ['github.com.', false],
    ['gist.github.com', false],
  ] as const)('answers a question for %s as for github.com: %s', async ([host, isFound], { world }) => {
    const input = `protocol=https\nhost=${host}\n\n`
    const { code, stdout } = await world.run(['git-credential', 'get'], { input, env: { GH_TOKEN: TOKEN } })
    expect([code, stdout.includes(TOKEN)]).toEqual([0, isFound])
  })

  test('reports a damaged login if no other fits, and leaves git to its next helper', async ({ world }) => {
    const { host } = await loggedIn(world)
    writeFileSync(fileOf(world, 'home'), '{')
    const input = `protocol=http\nhost=${host}\n\n`
    await world.expect('git-credential get', { stdout: [TOKEN], stderr: '' }, { input })
    writeFileSync(fileOf(world), '{')
    const stderr = /^✗ The saved login of home is damaged .*\n✗ The saved login of work is damaged .*\n$/
    await world.expect('git-credential get', { stdout: '', stderr }, { input })
    await world.expect('git-credential store', { stdout: '', stderr: '' }, { input })
  })

  test('reports a refusal to git but keeps the login', async ({ world }) => {
    const { host } = await loggedIn(world)
    const input = `protocol=http\nhost=${host}\nusername=octo\npassword=${TOKEN}\n\n`
    await world.expect('git-credential store', { stdout: '', stderr: '' }, { input })
    const stderr = '✗ The service rejected the token of work: run authgraph status --profile work\n'
    await world.expect('git-credential erase', { stdout: '', stderr }, { input })
    await world.expect('git-credential erase', { stderr: '' }, { input: input.replace(TOKEN, 'another') })
    await world.expect('token', { stdout: `${TOKEN}\n` })
  })

  test('refreshes a refused token, and never goes back to it', async ({ world }) => {
    const { host, requests } = await loggedIn(world, RENEWABLE)
    const asked = `protocol=http\nhost=${host}\n`
    const refused = { input: `${asked}password=${TOKEN}\n` }
    await world.run('git-credential erase', refused)
    await world.expect('git-credential get', { stdout: [`password=${FRESH}\n`] }, { input: asked })
    // Git may have waited with it: the token in use is another one.
    const sent = requests.length
    await world.run('git-credential erase', refused)
    await world.expect('token', { stdout: `${FRESH}\n` })
    expect(requests).toHaveLength(sent)
  })
})
