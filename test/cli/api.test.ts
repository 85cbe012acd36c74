import { generateKeyPairSync } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { describe, expect } from 'vitest'
import { githubApi } from '../../src/testing/index.ts'
import { CLIENT_ID } from './support/live-service.ts'
import { TOKEN } from './support/logged-in.ts'
import { granted } from './support/scripted-http.ts'
import { loginTo, test, type World } from './support/world.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const PERSONAL = 'ghp_personalInTheClear0123456789'
const FINE_GRAINED = 'github_pat_fineGrainedInTheClear0123456789'

const accounts = {
  users: [{ username: 'octocat', password: 'open sesame' }],
  personalTokens: [{ token: PERSONAL, user: { id: 2, login: 'hubot' }, scopes: ['repo'] }],
  apps: [
    {
      appId: 12345,
      publicKeys: [publicKey.export({ type: 'spki', format: 'pem' }).toString()],
      installations: [{ id: 7, owner: 'octo-org', repositories: [{ id: 11, name: 'hello' }] }],
    },
  ],
}

/** A server, and the words of a call to it without a login. */
async function served(world: World, listener: RequestListener) {
  const url = await world.serve(listener)
  return (path: string, ...more: string[]) => ['api', path, '--auth', 'none', '--host', url, ...more]
}

describe('authgraph api', { concurrent: true }, () => {
  test('authenticates in all six forms', async ({ world }) => {
    const { host, approver } = await world.live({ ...accounts, api: githubApi(accounts.apps) })
    await world.login(host, ['--client-id', CLIENT_ID], { onOutput: approver() })
    const env = { PASSWORD: 'open sesame', PERSONAL, KEY }
    const calls = [
      ['/user --auth none', 1, { message: 'requires authentication' }],
      ['/user --auth basic --user octocat --secret env:PASSWORD', 0, { login: 'octocat' }],
      ['/user --auth personal --secret env:PERSONAL', 0, { id: 2, login: 'hubot' }],
      ['/app --auth app --app-id 12345 --key env:KEY', 0, { id: 12345 }],
      [
        '/installation/repositories --auth installation --app-id 12345 --key env:KEY --installation-id 7',
        0,
        {
          total_count: 1,
          repositories: [
            { id: 11, name: 'hello', full_name: 'octo-org/hello', owner: { login: 'octo-org' } },
          ],
        },
      ],
      ['/user', 0, { id: 1, login: 'octocat' }],
    ] as const
    const call = async ([words, code, body]: (typeof calls)[number]) => {
      const { stdout } = await world.expect(`api ${words} --host ${host}`, { code }, { env })
      expect(JSON.parse(stdout)).toEqual(body)
    }
    await Promise.all(calls.map(call))
  })

  test('sends a credential to the given host, whatever the address of the profile with its name', async ({
    world,
  }) => {
    const [chosen, other] = [await world.scripted(), await world.scripted({ polls: [granted(TOKEN)] })]
    const { host } = new URL(chosen.url)
    await world.expect([...loginTo(other.url), '--profile', host], {})
    const before = other.requests.length
    const call = `api /user --host ${chosen.url}`
    const env = { PERSONAL }
    await world.expect(`${call} --auth personal --secret env:PERSONAL`, {}, { env })
    await world.expect(`${call} --secret env:PERSONAL`, {}, { env })
    const sent = chosen.requests.map(({ authorization }) => authorization)
    expect(sent).toEqual(Array(2).fill(`Bearer ${PERSONAL}`))
    await world.expect(call, { code: 1, stderr: ['Not logged in to this host'] })
    expect([chosen.requests.length, other.requests.length]).toEqual([2, before])
  })

  test('sends fields as a query or as JSON, sends headers, and prints the head of the response', async ({
    world,
  }) => {
    const call = await served(world, async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      response.setHeader('x-odd', 'yes')
      const { accept, 'x-mine': mine } = request.headers
      response.end(`${request.method} ${request.url} ${accept} ${mine} ${body}`)
    })
    const fields = ['--field', 'title=a=b', '--field', 'x=ö ', '--header', 'x-mine: 1']
    const json = 'application/json'
    await world.expect(call('/', ...fields), { stdout: `POST / ${json} 1 {"title":"a=b","x":"ö "}` })
    await world.expect(call('/', ...fields, '--method', 'get'), {
      stdout: `GET /?title=a%3Db&x=%C3%B6+ ${json} 1 `,
    })
    await world.expect(call('/', '--header', 'Accept: text/plain'), { stdout: 'GET / text/plain undefined ' })
    const stdout = /^200 OK\n(.*\n)*x-odd: yes\n(.*\n)*\nGET \/ application\/json undefined $/
    await world.expect(call('/', '--include'), { stdout })
  })

  test('follows the pages of a list, and prints each item as one line of JSON', async ({ world }) => {
    const asked: string[] = []
    const call = await served(world, (request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers['x-mine']}`)
      const [first, type] = [asked.length === 1, { 'content-type': 'application/json' }]
      if (asked.length === 2) return response.writeHead(429, { 'retry-after': '0' }).end()
      response.writeHead(200, { ...type, ...(first && { link: '</repos?page=2>; rel="next"' }) })
      response.end(JSON.stringify(first ? [{ a: 'ö\u0007' }, 2] : { total_count: 3, items: [[3]] }))
    })
    await world.expect(call('/repos', '--paginate', '--field', 'per_page=2', '--header', 'x-mine: 1'), {
      stdout: '{"a":"ö\\u0007"}\n2\n[3]\n',
      stderr: 'rate limit: waiting 0 seconds before the next page\n',
    })
    expect(asked).toEqual(['GET /repos?per_page=2 1', 'GET /repos?page=2 1', 'GET /repos?page=2 1'])
  })

  test('stops at a page that is refused, and says why', async ({ world }) => {
    const call = await served(world, (request, response) => {
      if (request.url !== '/repos') return response.writeHead(404).end()
      response.writeHead(200, { link: '</more>; rel="next"', 'content-type': 'application/json' }).end('[1]')
    })
    await world.expect(call('/repos', '--paginate'), { code: 1, stdout: '1\n', stderr: ['status 404'] })
  })

  test('prints the status of a refusal, and of an empty response to a terminal', async ({ world }) => {
    const call = await served(world, (request, response) => {
      if (request.url === '/lost') response.writeHead(404).end('no such page')
      else response.writeHead(request.url === '/gone' ? 404 : 204).end()
    })
    await world.expect(call('/gone'), { code: 1, stdout: '', stderr: 'HTTP 404 Not Found\n' })
    await world.expect(call('/gone', '--include'), { code: 1, stderr: '' })
    await world.expect(call('/here'), { stdout: '', stderr: '' })
    for (const [path, code, shown] of [
      ['/gone', 1, 'HTTP 404 Not Found'],
      ['/lost', 1, 'no such page\nHTTP 404 Not Found'],
      ['/here', 0, 'HTTP 204 No Content'],
    ] as const) {
      const terminal = world.open(call(path))
      expect(await terminal.exit).toBe(code)
      expect(terminal.screen()).toBe(shown)
    }
  })

  test('adds a final line break to text and leaves all other bodies unchanged', async ({ world }) => {
    const call = await served(world, (request, response) => {
      const [, type = '', text = ''] = (request.url ?? '').split('?').map(decodeURIComponent)
      response.writeHead(200, type === 'none' ? {} : { 'content-type': type }).end(text)
    })
    for (const [type, text, stdout] of [
      ['application/json; charset=utf-8', '{"a":1}', '{"a":1}\n'],
      ['application/problem+json', '{}\n', '{}\n'],
      ['text/plain', 'ö', 'ö\n'],
      ['application/octet-stream', 'ab', 'ab'],
      ['none', 'ab', 'ab'],
      ['text/plain', '', ''],
    ] as const)
      await world.expect(call(`/?${encodeURIComponent(type)}?${encodeURIComponent(text)}`), { stdout })
  })

  test.for([
    ['--header', 'no name: x'],
    ['--header', 'x: \u2192'],
    ['--header', 'x: a\nb: c'],
    ['--method', 'TWO WORDS'],
    ['--method', 'trace'],
    ['--paginate', '--include'],
    ['--paginate', '--method', 'POST'],
  ])('%j is a usage error', async (args, { world }) => {
    const stderr = args[0] === '--paginate' ? 'paginate' : 'See: authgraph api --help'
    await world.expect(['api', '/', '--auth', 'none', ...args], { code: 2, stderr: [stderr] })
  })

  test('removes control characters on a terminal but not in a pipe', async ({ world }) => {
    const evil = 'a\u001b[2Jb\u009b'
    const call = await served(world, (_request, response) => response.end(evil))
    await world.expect(call('/'), { stdout: evil })
    const terminal = world.open(call('/'))
    expect(await terminal.exit).toBe(0)
    expect(terminal.screen()).toBe('a[2Jb')
    expect(terminal.raw()).not.toContain('\u001b[2J')
  })

  const inArgument = 'An argument contains a secret'
  const instead = 'use --auth and --secret instead'
  test.for([
    ['a token', ['--auth', 'personal', '--secret', PERSONAL], inArgument],
    ['a fine-grained token', ['--auth', 'personal', '--secret', FINE_GRAINED], inArgument],
    ['a token in an address', ['/user?access_token=abc', '--auth', 'none'], inArgument],
    ['a password in an address', ['https://me:password@localhost/', '--auth', 'none'], inArgument],
    ['a private key', ['--auth', 'app', '--app-id', '1', '--key', KEY], inArgument],
    [
      'a value that is not a file',
      ['--auth', 'personal', '--secret', 'hunter2'],
      'Do not pass the secret itself',
    ],
    [
      'a password after the user name',
      ['--auth', 'basic', '--user', 'me:hunter2'],
      'use --secret for the password',
    ],
    ['a header with a credential', ['--header', 'Authorization: Bearer hunter2'], instead],
    ['a header with a cookie', ['--header', 'cookie: session=hunter2'], instead],
    ['no user name', ['--auth', 'basic', '--secret', '-'], '--auth basic requires --user'],
    ['no credential', ['--auth', 'personal'], 'set --secret to a file'],
    ['no app', ['--auth', 'app'], '--auth app requires --app-id and --key'],
    [
      'no installation',
      ['--auth', 'installation', '--app-id', '1', '--key', 'app.pem'],
      '--auth installation requires --app-id, --key and --installation-id',
    ],
  ] as const)('refuses %s without quoting it', async ([, args, sentence], { world }) => {
    const path = args[0].startsWith('--') ? ['/user'] : []
    const never = [PERSONAL, FINE_GRAINED, KEY, 'hunter2', 'password@']
    await world.expect(['api', ...path, ...args], { code: 2, stderr: [sentence], never })
  })
})
