import { generateKeyPairSync } from 'node:crypto'
import { describe, expect } from 'vitest'
import { TOKEN } from './support/logged-in.ts'
import { granted } from './support/scripted-http.ts'
import { test } from './support/world.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const PERSONAL = 'ghp_personalInTheClear0123456789'
const FINE_GRAINED = 'github_pat_fineGrainedInTheClear0123456789'

const accounts = {
  users: [{ username: 'octocat', password: 'open sesame' }],
  personalTokens: [{ token: PERSONAL, user: { id: 2, login: 'hubot' }, scopes: ['repo'] }],
  apps: [{ appId: 12345, publicKeys: [publicKey.export({ type: 'spki', format: 'pem' }).toString()] }],
}

describe('authgraph api', { concurrent: true, timeout: 60_000 }, () => {
  test('authenticates in all five forms', async ({ world }) => {
    const service = await world.live(accounts)
    const login = [
      'login',
      '--host',
      service.host,
      '--client-id',
      'client-id-of-the-command',
      '--store',
      'file',
    ]
    await world.run(login, { onOutput: service.approver() })
    const call = (path: string, ...args: string[]) =>
      world.run(['api', path, '--host', service.host, ...args], {
        env: { PASSWORD: 'open sesame', PERSONAL, KEY },
      })
    const responses = await Promise.all([
      call('/user', '--auth', 'none'),
      call('/user', '--auth', 'basic', '--user', 'octocat', '--secret', 'env:PASSWORD'),
      call('/user', '--auth', 'personal', '--secret', 'env:PERSONAL'),
      call('/app', '--auth', 'app', '--app-id', '12345', '--key', 'env:KEY'),
      call('/user'),
    ])
    expect(responses.map(({ code, stdout }) => [code, JSON.parse(stdout)])).toEqual([
      [1, { message: 'requires authentication' }],
      [0, { login: 'octocat' }],
      [0, { id: 2, login: 'hubot' }],
      [0, { id: 12345 }],
      [0, { id: 1, login: 'octocat' }],
    ])
  })

  test('sends a credential to the given host, whatever the address of the profile with its name', async ({
    world,
  }) => {
    const [chosen, other] = [await world.scripted(), await world.scripted({ polls: [granted(TOKEN)] })]
    const { host } = new URL(chosen.url)
    const login = ['login', '--host', other.url, '--client-id', 'id', '--store', 'file', '--profile', host]
    expect((await world.run(login)).code).toBe(0)
    const before = other.requests.length
    const call = (...args: string[]) =>
      world.run(['api', '/user', '--host', chosen.url, ...args], { env: { PERSONAL } })
    expect((await call('--auth', 'personal', '--secret', 'env:PERSONAL')).code).toBe(0)
    expect((await call('--secret', 'env:PERSONAL')).code).toBe(0)
    expect(chosen.requests.map(({ authorization }) => authorization)).toEqual(
      Array(2).fill(`Bearer ${PERSONAL}`),
    )
    expect((await call()).stderr).toContain('not logged in to this host')
    expect([chosen.requests.length, other.requests.length]).toEqual([2, before])
  })

  test('sends fields as a query or as JSON, sends headers, and prints the head of the response', async ({
    world,
  }) => {
    const url = await world.serve(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      response.setHeader('x-odd', 'yes')
      response.end(`${request.method} ${request.url} ${request.headers['x-mine']} ${body}`)
    })
    const call = (...args: string[]) =>
      world.run(['api', '/things', '--auth', 'none', '--host', url, ...args])
    const fields = ['--field', 'title=a=b', '--field', 'x=ö ', '--header', 'x-mine: 1']
    expect((await call(...fields)).stdout).toBe('POST /things 1 {"title":"a=b","x":"ö "}')
    expect((await call(...fields, '--method', 'get')).stdout).toBe('GET /things?title=a%3Db&x=%C3%B6+ 1 ')
    expect((await call('--include')).stdout).toMatch(
      /^200 OK\n(.*\n)*x-odd: yes\n(.*\n)*\nGET \/things undefined $/,
    )
  })

  test('follows the pages of a list, and prints each item as one line of JSON', async ({ world }) => {
    const asked: string[] = []
    const url = await world.serve((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers['x-mine']}`)
      if (asked.length === 1)
        response.writeHead(200, { link: '</repos?page=2>; rel="next"', 'content-type': 'application/json' })
      else if (asked.length === 2) return response.writeHead(429, { 'retry-after': '0' }).end()
      else response.writeHead(200, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify(asked.length === 1 ? [{ a: 'ö\u0007' }, 2] : { total_count: 3, items: [[3]] }),
      )
    })
    const args = ['api', '/repos', '--auth', 'none', '--host', url, '--paginate', '--field', 'per_page=2']
    const { code, stdout, stderr } = await world.run([...args, '--header', 'x-mine: 1'])
    expect([code, stdout]).toEqual([0, '{"a":"ö\\u0007"}\n2\n[3]\n'])
    expect(stderr).toBe('rate limit: waiting 0 seconds before the next page\n')
    expect(asked).toEqual(['GET /repos?per_page=2 1', 'GET /repos?page=2 1', 'GET /repos?page=2 1'])
  })

  test('stops at a page that is refused, and says why', async ({ world }) => {
    const url = await world.serve((request, response) => {
      if (request.url !== '/repos') return response.writeHead(404).end()
      response.writeHead(200, { link: '</more>; rel="next"', 'content-type': 'application/json' }).end('[1]')
    })
    const { code, stdout, stderr } = await world.run([
      'api',
      '/repos',
      '--auth',
      'none',
      '--host',
      url,
      '--paginate',
    ])
    expect([code, stdout]).toEqual([1, '1\n'])
    expect(stderr).toContain('status 404')
  })

  test.for([['--method', 'POST'], ['--include']])(
    'does not combine pages with %j',
    async (args, { world }) => {
      expect((await world.run(['api', '/', '--auth', 'none', '--paginate', ...args])).code).toBe(2)
    },
  )

  test('prints the status of a refusal without a body', async ({ world }) => {
    const url = await world.serve((request, response) => {
      response.writeHead(request.url === '/gone' ? 404 : 204).end()
    })
    const call = (path: string, ...more: string[]) => ['api', path, '--auth', 'none', '--host', url, ...more]
    expect(await world.run(call('/gone'))).toMatchObject({ code: 1, stdout: '', stderr: '404 Not Found\n' })
    expect(await world.run(call('/gone', '--include'))).toMatchObject({ code: 1, stderr: '' })
    expect(await world.run(call('/here'))).toMatchObject({ code: 0, stdout: '', stderr: '' })
    const terminal = world.open(call('/gone'))
    expect(await terminal.exit).toBe(1)
    expect(terminal.screen()).toBe('404 Not Found')
  })

  test('adds a final line break to text and leaves all other bodies unchanged', async ({ world }) => {
    const url = await world.serve((request, response) => {
      const [, type = '', text = ''] = (request.url ?? '').split('?').map(decodeURIComponent)
      response.writeHead(200, type === 'none' ? {} : { 'content-type': type }).end(text)
    })
    const call = async (type: string, text: string) => {
      const path = `/?${encodeURIComponent(type)}?${encodeURIComponent(text)}`
      return (await world.run(['api', path, '--auth', 'none', '--host', url])).stdout
    }
    expect(await call('application/json; charset=utf-8', '{"a":1}')).toBe('{"a":1}\n')
    expect(await call('application/problem+json', '{}\n')).toBe('{}\n')
    expect(await call('text/plain', 'ö')).toBe('ö\n')
    expect(await call('application/octet-stream', 'ab')).toBe('ab')
    expect(await call('none', 'ab')).toBe('ab')
    expect(await call('text/plain', '')).toBe('')
  })

  test('prints the status of a success without a body to a terminal only', async ({ world }) => {
    const url = await world.serve((_request, response) => response.writeHead(204).end())
    const args = ['api', '/', '--auth', 'none', '--host', url]
    expect(await world.run(args)).toEqual({ code: 0, stdout: '', stderr: '' })
    const terminal = world.open(args)
    expect(await terminal.exit).toBe(0)
    expect(terminal.screen()).toBe('204 No Content')
  })

  test('lets a header replace the default', async ({ world }) => {
    const url = await world.serve((request, response) => response.end(request.headers.accept))
    const call = (...args: string[]) => world.run(['api', '/', '--auth', 'none', '--host', url, ...args])
    expect((await call()).stdout).toBe('application/json')
    expect((await call('--header', 'Accept: text/plain')).stdout).toBe('text/plain')
  })

  test.for([
    ['--header', 'no name: x'],
    ['--header', 'x: \u2192'],
    ['--header', 'x: a\nb: c'],
    ['--method', 'TWO WORDS'],
    ['--method', 'trace'],
  ])('%s %j is a usage error', async (args, { world }) => {
    const { code, stderr } = await world.run(['api', '/', '--auth', 'none', ...args])
    expect(code).toBe(2)
    expect(stderr).toContain('See: authgraph api --help')
  })

  test('removes control characters on a terminal but not in a pipe', async ({ world }) => {
    const evil = 'a\u001b[2Jb\u009b'
    const url = await world.serve((_request, response) => response.end(evil))
    const args = ['api', '/', '--auth', 'none', '--host', url]
    expect((await world.run(args)).stdout).toBe(evil)
    const terminal = world.open(args)
    expect(await terminal.exit).toBe(0)
    expect(terminal.screen()).toBe('a[2Jb')
    expect(terminal.raw()).not.toContain('\u001b[2J')
  })

  test('says what to do if the service cannot be reached', async ({ world }) => {
    const { url, close } = await world.scripted()
    close()
    const { code, stderr } = await world.run(['api', '/user', '--auth', 'none', '--host', url])
    expect(code).toBe(1)
    expect(stderr).toMatch(/localhost:\d+ cannot be reached: ECONNREFUSED\n {2}Check the connection/)
  })

  test.for([
    [
      'a token',
      ['api', '/user', '--auth', 'personal', '--secret', PERSONAL],
      'an argument contains a secret',
    ],
    [
      'a fine-grained token',
      ['api', '/user', '--auth', 'personal', '--secret', FINE_GRAINED],
      'an argument contains a secret',
    ],
    [
      'a token in an address',
      ['api', '/user?access_token=abc', '--auth', 'none'],
      'an argument contains a secret',
    ],
    [
      'a password in an address',
      ['api', 'https://me:password@localhost/', '--auth', 'none'],
      'an argument contains a secret',
    ],
    ['a private key', ['jwt', '--app-id', '1', '--key', KEY], 'an argument contains a secret'],
    [
      'a value that is not a file',
      ['api', '/user', '--auth', 'personal', '--secret', 'hunter2'],
      'Do not pass the secret itself',
    ],
    [
      'a password after the user name',
      ['api', '/user', '--auth', 'basic', '--user', 'me:hunter2'],
      'use --secret for the password',
    ],
    [
      'a header with a credential',
      ['api', '/user', '--header', 'Authorization: Bearer hunter2'],
      'use --auth and --secret instead',
    ],
    [
      'a header with a cookie',
      ['api', '/user', '--header', 'cookie: session=hunter2'],
      'use --auth and --secret instead',
    ],
    ['no user name', ['api', '/user', '--auth', 'basic', '--secret', '-'], '--auth basic requires --user'],
    ['no credential', ['api', '/user', '--auth', 'personal'], 'set --secret to a file'],
    ['no app', ['api', '/user', '--auth', 'app'], '--auth app requires --app-id and --key'],
  ] as const)('refuses %s without quoting it', async ([, args, sentence], { world }) => {
    const { code, stdout, stderr } = await world.run(args)
    expect(code).toBe(2)
    expect(stderr).toContain(sentence)
    for (const secret of [PERSONAL, FINE_GRAINED, KEY, 'hunter2', 'password@'])
      expect(stdout + stderr).not.toContain(secret)
  })
})
