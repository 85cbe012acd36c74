import { generateKeyPairSync } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { describe, expect } from 'vitest'
import { githubApi } from '../../src/testing/index.ts'
import { TOKEN } from './support/logged-in.ts'
import { granted } from './support/scripted-http.ts'
import { CERTIFICATE } from './support/serve.ts'
import { loginTo, test, type World } from './support/world.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const PERSONAL = 'ghp_personalInTheClear0123456789'

const installation = { id: 7, owner: 'octo-org', repositories: [{ id: 11, name: 'hello' }] }
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
const TRUSTED = { NODE_EXTRA_CA_CERTS: CERTIFICATE }

const accounts = {
  users: [{ username: 'octocat', password: 'open sesame' }],
  personalTokens: [{ token: PERSONAL, user: { id: 2, login: 'hubot' }, scopes: ['repo'] }],
  apps: [
    {
      appId: 12345,
      publicKeys: [publicKey.export({ type: 'spki', format: 'pem' }).toString()],
      installations: [installation],
    },
  ],
}

/** A server, and the words of a call to it without a login. */
async function served(world: World, listener: RequestListener) {
  const url = await world.serve(listener)
  return (path: string, ...more: string[]) => ['api', path, '--auth', 'none', '--host', url, ...more]
}

/** A server that speaks another protocol. */
function notHttp(world: World) {
  return world.serve((_, { socket }) => socket?.end('SSH-2.0-server\r\n'))
}

describe('authgraph api', { concurrent: true }, () => {
  test.for([
    ['/user --auth none', 1, '"message":"requires authentication"'],
    ['/user --auth basic --user octocat --secret env:PASSWORD', 0, '"login":"octocat"'],
    ['/user --auth personal --secret env:PERSONAL', 0, '"login":"hubot"'],
    ['/app --auth app --app-id 12345 --key env:KEY', 0, '"id":12345'],
    [
      '/installation/repositories --auth installation --app-id 12345 --key env:KEY --installation-id 7',
      0,
      '"total_count":1',
    ],
  ] as const)('authenticates: %s', async ([words, code, body], { world }) => {
    const { host } = await world.live({ ...accounts, api: githubApi(accounts.apps) })
    const env = { PASSWORD: 'open sesame', PERSONAL, KEY }
    await world.expect(`api ${words} --host ${host}`, { code, stdout: [body] }, { env })
  })

  test('names the request for the token of an installation if the API refuses it', async ({ world }) => {
    const { host } = await world.live({ ...accounts, api: githubApi(accounts.apps) })
    const words = `api /user --auth installation --app-id 12345 --key env:KEY --installation-id 8 --host ${host}`
    const stderr =
      / \(POST localhost:\d+\/app\/installations\/8\/access_tokens\) with status 404: .*\n {2}Check --installation-id, --/
    await world.expect(words, { code: 1, stdout: '', stderr }, { env: { KEY } })
  })

  test('says what to check if the token of an installation is a page', async ({ world }) => {
    const url = await world.serve((_, response) => void response.end('<html>'))
    const words = `api /user --auth installation --app-id 12345 --key env:KEY --installation-id 8 --host ${url}`
    const stderr = [
      ' has no valid "token": check --host. In a network with a login page, sign in there first\n',
    ]
    await world.expect(words, { code: 1, stdout: '', stderr }, { env: { KEY } })
  })

  test('says which scope a token may lack', async ({ world }) => {
    const url = await world.serve((_, response) => {
      response.writeHead(404, { 'x-accepted-oauth-scopes': 'repo', 'x-oauth-scopes': 'gist' }).end()
    })
    const stderr = [' accepts repo. Replace the token in AUTHGRAPH_TOKEN.\n']
    const env = { AUTHGRAPH_TOKEN: PERSONAL, AUTHGRAPH_HOST: url }
    for (const words of ['api /x', 'api /x --paginate'])
      await world.expect(words, { code: 1, stderr }, { env })
  })

  test('names the request whose connection broke, without its query', async ({ world }) => {
    const call = await served(world, (_, response) => response.destroy())
    const stderr =
      /^✗ localhost:\d+ closed the connection before the response was complete \(ECONNRESET, GET \/user\)\n {2}Try again\./
    await world.expect(call('/user?page=2'), { code: 1, stdout: '', stderr })
  })

  test.for([
    [[], '[{"a":\n'],
    [['--paginate'], ''],
  ] as const)('says with %j why a body is incomplete or cannot be read', async ([more, half], { world }) => {
    const call = await served(world, ({ url }, response) => {
      if (url === '/cut') return response.socket?.end(`${HEAD}content-length: 9\r\n\r\n[{"a":`)
      return response.writeHead(200, { 'content-encoding': url?.slice(1) }).end('neither gzip nor brotli')
    })
    const cut =
      /^✗ localhost:\d+ closed the connection before the .* \(ECONNRESET, GET \/cut\)\n {2}Try again\./
    const never = half === '' ? [] : ['https']
    await world.expect(call('/cut', ...more), { code: 1, stdout: half, stderr: cut, never })
    for (const packing of ['gzip', 'br']) {
      const stderr = [`cannot be decompressed (`, `, GET /${packing})\n  The response is not in the format `]
      await world.expect(call(`/${packing}`, ...more), { code: 1, stdout: '', stderr })
    }
  })

  test('says that fetch blocks a port', async ({ world }) => {
    const stderr = ' cannot be reached (BAD_PORT, GET /user)\n  fetch blocks this port'
    await world.expect('api /user --auth none --host http://127.0.0.1:6000', { code: 1, stderr: [stderr] })
  })

  test.for([
    [
      'The certificate of localhost:PORT was rejected',
      true,
      'https://localhost',
      {},
      /set NODE_EXTRA_CA_CERTS/,
    ],
    [
      'The certificate of 127.0.0.1:PORT was rejected',
      true,
      'https://127.0.0.1',
      TRUSTED,
      /is for another host/,
    ],
    [
      'The TLS handshake with localhost:PORT failed',
      false,
      'https://localhost',
      {},
      /If the port serves http, use --host http:\/\/localhost:\d+\.\n/,
    ],
    ['127.0.0.1:PORT cannot be reached', undefined, 'http://127.0.0.1', {}, /is not valid HTTP/],
  ] as const)(
    'says what to do if "%s", and names no proxy',
    async ([error, isSecure, origin, env, advice], { world }) => {
      const url = isSecure === undefined ? await notHttp(world) : (await world.scripted({ isSecure })).url
      const { port } = new URL(url)
      const stderr = new RegExp(`^✗ ${error.replace('PORT', port)} \\(.*\\)\n.*${advice.source}`)
      await world.expect(
        `api /user --auth none --host ${origin}:${port}`,
        { code: 1, stderr, never: ['proxy'] },
        { env },
      )
    },
  )

  test('sends a credential to the given host, whatever the name of the profile', async ({ world }) => {
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
    const stderr = `✗ Not logged in to ${chosen.url}: run authgraph login --host ${chosen.url} --client-id ID\n`
    await world.expect(call, { code: 1, stderr })
    expect([chosen.requests.length, other.requests.length]).toEqual([2, before])
    await world.expect(`api /user --host ${other.url}`, {})
    expect(other.requests.at(-1)?.authorization).toBe(`Bearer ${TOKEN}`)
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

  test('follows the pages of a list, prints each item as one line of JSON, and stops at a refusal', async ({
    world,
  }) => {
    const asked: string[] = []
    const call = await served(world, (request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers['x-mine']}`)
      const type = { 'content-type': 'application/json' }
      const next = (page: number) => ({ ...type, link: `</repos?page=${page}>; rel="next"` })
      if (asked.length === 1) response.writeHead(200, next(2)).end(JSON.stringify([{ a: 'ö\u0007' }, 2]))
      else if (asked.length === 2) response.writeHead(429, { 'retry-after': '0' }).end()
      else if (asked.length === 3) response.writeHead(200, next(3)).end('{"total_count":3,"items":[[3]]}')
      else response.writeHead(404).end()
    })
    await world.expect(call('/repos', '--paginate', '--field', 'per_page=2', '--header', 'x-mine: 1'), {
      code: 1,
      stdout: '{"a":"ö\\u0007"}\n2\n[3]\n',
      stderr: /^rate limit: waiting 0 seconds before the next page\n✗ .*status 404/,
    })
    expect(asked).toEqual(
      ['per_page=2', 'page=2', 'page=2', 'page=3'].map((query) => `GET /repos?${query} 1`),
    )
  })

  test.for([
    ['/list', 404, '{}', /^✗ The service refused the request \(GET \S+\/list\) with status 404\n$/],
    [
      '/list',
      401,
      '{}',
      /^✗ .* status 401\n {2}The path requires authentication: choose a form with --auth\.\n$/,
    ],
    ['/list', 200, '{}', /^✗ GET localhost:\d+\/list did not return a list: remove --paginate\n$/],
    [
      '/list',
      200,
      '[{',
      /^✗ The response \(GET \S+\/list\) is not a JSON array or object: remove --paginate\n$/,
    ],
    [
      '/list',
      302,
      '',
      /^✗ GET \S+\/list redirects to \/there: redirects are not followed\n {2}If you trust the redirect, run the command with the path \/there\.\n$/,
    ],
    [
      'https://other.example/?code=secret',
      200,
      '',
      /^✗ Requests go to \S+ only: nothing was sent to https:\/\/(\S+)\. To call that host, use --host \1\n$/,
    ],
    ['https://a1b2c3d4e5f6a7b8c9d0e1.example/', 200, '', /^✗ .* nothing was sent to the other host\n$/],
    ['/list', 404, '{"error":"Not Found"}', /^✗ .*\/list\) with status 404: Not Found\n$/],
  ] as const)(
    'gives no advice about the address of a login for %s with status %i',
    async ([path, status, body, stderr], { world }) => {
      const call = await served(world, (_request, response) => {
        response.writeHead(status, { 'content-type': 'application/json', location: '/there' }).end(body)
      })
      await world.expect(call(path, '--paginate'), { code: 1, stdout: '', stderr })
    },
  )

  test('names the host of a redirect to another one, but not the rest of its URL', async ({ world }) => {
    const url = await world.serve((_, response) => {
      response.writeHead(302, { location: 'https://example.com/there?code=secret' }).end()
    })
    const env = { AUTHGRAPH_TOKEN: PERSONAL, AUTHGRAPH_HOST: url }
    const said = (advice: string) => [
      ' redirects to example.com: redirects are not followed\n',
      `\n  If you trust that host, ${advice}.`,
    ]
    const failed = { code: 1, never: ['there', 'secret'] }
    await world.expect('api /user', { ...failed, stderr: said('use --host example.com') }, { env })
    const other =
      /^✗ AUTHGRAPH_TOKEN is for localhost:\d+, not for git.example.com: set AUTHGRAPH_HOST to git.example.com\n$/
    await world.expect('api /user --host git.example.com', { code: 1, stderr: other }, { env })
    // The host of GitHub's logins is not that of its API.
    await world.expect(
      'api https://github.com/user',
      {
        code: 1,
        stderr: /^✗ .* nothing was sent to https:\/\/github\.com\. Pass only the path, such as \/user\n$/,
      },
      { env: { AUTHGRAPH_TOKEN: PERSONAL } },
    )
    await world.expect('status', { ...failed, stdout: said('set AUTHGRAPH_HOST to example.com') }, { env })
    const check = ['check', url, '--client-id', 'id', '--approve', 'true']
    await world.expect(check, { ...failed, stderr: said('run the command with its URL') })
    const login = said('use --host example.com, or name it in --issuer or in the endpoint options')
    await world.expect(loginTo(url), { ...failed, stderr: login })
  })

  test('reports a refusal on standard error, and an empty response to a terminal', async ({ world }) => {
    const call = await served(world, (request, response) => {
      if (request.url === '/here') return response.writeHead(204).end()
      const left = { 'content-type': 'text/plain', 'retry-after': '600' }
      if (request.url === '/often') return response.writeHead(403, left).end('later')
      return response.writeHead(404).end('no such page')
    })
    const refused = (path: string, status: number) =>
      `✗ The service refused the request \\(GET localhost:\\d+${path}\\) with status ${status}`
    const lost = new RegExp(`^${refused('/lost', 404)}\n$`)
    await world.expect(call('/lost'), { code: 1, stdout: 'no such page', stderr: lost })
    await world.expect(call('/lost', '--include'), { code: 1, stderr: lost })
    const often = new RegExp(`^${refused('/often', 403)}\n  Too many requests: try again in 10 minutes\\.\n$`)
    await world.expect(call('/often'), { code: 1, stdout: 'later\n', stderr: often })
    await world.expect(call('/here'), { stdout: '', stderr: '' })
    for (const [path, code, shown] of [
      ['/lost', 1, new RegExp(`^no such page\n${refused('/lost', 404)}$`)],
      ['/here', 0, /^HTTP 204 No Content$/],
    ] as const) {
      const terminal = world.open(call(path))
      expect(await terminal.exit).toBe(code)
      expect(terminal.screen()).toMatch(shown)
    }
  })

  test('adds a final line break to text and leaves all other bodies unchanged', async ({ world }) => {
    const call = await served(world, (request, response) => {
      const [, type = '', text = ''] = (request.url ?? '').split('?').map(decodeURIComponent)
      response.writeHead(200, { 'content-type': type }).end(text)
    })
    for (const [type, text, stdout] of [
      ['application/json; charset=utf-8', '{"a":1}', '{"a":1}\n'],
      ['application/problem+json', '{}\n', '{}\n'],
      ['text/plain', 'ö', 'ö\n'],
      ['application/octet-stream', 'ab', 'ab'],
      ['text/plain', '', ''],
    ] as const)
      await world.expect(call(`/?${encodeURIComponent(type)}?${encodeURIComponent(text)}`), { stdout })
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
})
