import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createOAuthDeviceAuth } from '@octokit/auth-oauth-device'
import { request } from '@octokit/request'
import { Octokit } from 'octokit'
import * as openid from 'openid-client'
import { expect, onTestFinished, test } from 'vitest'
import { authorizeDevice } from '../../src/index.ts'
import { createSandbox } from '../../src/testing/index.ts'
import { instantTimers } from '../support/instant-timers.ts'
import { CLIENT_ID, startService } from '../support/start-service.ts'

type Fetch = typeof globalThis.fetch

/** A login whose fetch meets a fault, once there is a code. */
interface Login {
  readonly fetch: Fetch
  readonly onCode: (userCode: string) => void
}

/** Makes the fetch of a login, from one that reaches the service and what approves the code. */
type Meet = (fetch: Fetch, approve: (userCode: string) => unknown) => Login

/** Over HTTP. The waits of the client advance the clock of the service. */
function overHttp(logIn: (login: Login & { readonly url: string }) => Promise<string>) {
  return async (meet: Meet) => {
    const service = startService({ dialect: 'rfc8628' })
    const { url, close } = await service.listen()
    onTestFinished(close)
    const login = meet(fetch, (userCode) => service.approve(userCode, 'octocat'))
    return instantTimers(service.clock)(() => logIn({ url, ...login }))
  }
}

const withOctokit = (ask: typeof request) =>
  overHttp(async ({ url, fetch, onCode }) => {
    const auth = createOAuthDeviceAuth({
      clientType: 'oauth-app',
      clientId: CLIENT_ID,
      onVerification: ({ user_code }) => onCode(user_code),
      request: ask.defaults({ baseUrl: url, request: { fetch } }),
    })
    return (await auth({ type: 'oauth' })).token
  })

const withOpenidClient = (isInLoop: boolean) =>
  overHttp(async ({ url, fetch, onCode }) => {
    const config = await openid.discovery(new URL(url), CLIENT_ID, undefined, openid.None(), {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
      [openid.customFetch]: (address, init) => fetch(address, init as RequestInit),
    })
    const codes = await openid.initiateDeviceAuthorization(config, {})
    onCode(codes.user_code)
    for (;;) {
      try {
        return (await openid.pollDeviceAuthorizationGrant(config, codes)).access_token
      } catch (error) {
        if (!isInLoop || error instanceof openid.ResponseBodyError) throw error
      }
    }
  })

async function withAuthgraph(meet: Meet): Promise<string> {
  const sandbox = createSandbox({ dialect: 'rfc8628' })
  const { client } = sandbox
  const { fetch, onCode } = meet(client.fetch, (userCode) => sandbox.approve(userCode))
  const login = authorizeDevice({ ...client, fetch, onCodes: ({ userCode }) => onCode(userCode) })
  return (await sandbox.run(login)).accessToken.reveal()
}

/** In the order of the columns. */
const CLIENTS: readonly ((meet: Meet) => Promise<string>)[] = [
  withAuthgraph,
  withOctokit(request),
  withOctokit(new Octokit().request),
  withOpenidClient(false),
  withOpenidClient(true),
]

const lose = (): Response => {
  throw new TypeError('fetch failed')
}
const fail = (headers = {}) => new Response('<h1>503</h1>', { status: 503, headers })
const page = () => new Response('<h1>Log in to the Wi-Fi</h1>', { headers: { 'content-type': 'text/html' } })

/** What a client receives in place of one response, by the row. */
const FAULTS: Readonly<Record<string, (response: Response) => Response>> = {
  'no fault': (response) => response,
  'the response is lost': lose,
  'status 503': () => fail(),
  'status 503 with `Retry-After`': () => fail({ 'retry-after': '5' }),
  'a captive portal answers': page,
  'the response with the token is lost': lose,
}

const read = (file: string) => readFileSync(resolve(import.meta.dirname, '../..', file), 'utf8')
const guide = read('docs/guides/why.md')
const lines = guide.split('\n').filter((line) => line.startsWith('|'))
const [names = [], , ...rows] = lines.map((line) =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim()),
)

test('the guide and the README have a row for each fault, and a column for each client and version', () => {
  expect(rows.map(([fault]) => fault)).toEqual(Object.keys(FAULTS))
  expect(read('README.md')).toContain(lines.join('\n'))
  expect(names).toHaveLength(CLIENTS.length + 1)
  for (const name of ['@octokit/auth-oauth-device', '@octokit/plugin-retry', 'openid-client']) {
    const file = resolve(import.meta.dirname, 'node_modules', name, 'package.json')
    expect(guide).toContain(`\`${name}\` ${JSON.parse(readFileSync(file, 'utf8')).version}`)
  }
})

test.each(
  rows.flatMap(([fault = '', ...outcomes]) =>
    outcomes.map((outcome, index) => [names[index + 1] ?? '', fault, outcome, index] as const),
  ),
)('%s, %s: %s', async (_, fault, outcome, index) => {
  const sent = new Set<string>()
  let code = ''
  let polls = 0
  const meet: Meet = (fetch, approve) => ({
    onCode: (userCode) => {
      code = userCode
    },
    async fetch(input, init) {
      if (code === '') return fetch(input, init)
      polls += 1
      // The fault meets the first poll. The user approves after it, or before it if its response is to have the token.
      if (polls === (fault.includes('token') ? 1 : 2)) await approve(code)
      const response = await fetch(input, init)
      const { access_token } = await response.clone().json()
      if (access_token !== undefined) sent.add(access_token)
      return polls === 1 ? (FAULTS[fault]?.(response) ?? response) : response
    },
  })
  const token = await CLIENTS[index]?.(meet).catch(() => undefined)
  expect(token === undefined ? '✗ ends' : '✓ token').toBe(outcome)
  if (token !== undefined) expect([...sent]).toEqual([token])
})
