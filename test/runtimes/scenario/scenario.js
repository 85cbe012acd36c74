import { authorizeDevice, github, importToken, Secret } from 'authgraph'
import { signAppJwt } from 'authgraph/app-jwt'
import { app, basic, createApi, installation, none, oauth, personalToken, withAuth } from 'authgraph/auth'
import { deviceAuthorization, deviceGrant } from 'authgraph/machines'
import { createService } from 'authgraph/service'
import { createSession, memoryStore, sealed } from 'authgraph/session'
import { equal, rejection } from './equal.js'
import { privateKey, publicKey } from './keys.js'
import { PLANTED, PRINTED } from './planted.js'
import { rotatingTokens } from './rotating-tokens.js'

const APP_ID = 12345
const PASSWORD = 'pässwörd'
const PERSONAL_TOKEN = 'github_pat_personal'

/** Milliseconds that one check may take: without a limit, a device retries a failing service for 15 minutes. */
const LONGEST = 10_000

// At the top of the module, as in a worker: there, some runtimes do not allow waiting or random numbers.
const service = createService({
  clients: [{ clientId: 'my-client-id', name: 'My app' }],
  interval: 1,
  users: [{ username: 'hubot', password: PASSWORD }],
  personalTokens: [{ token: PERSONAL_TOKEN, user: { id: 7, login: 'monalisa' }, scopes: ['gist'] }],
  apps: [{ appId: APP_ID, publicKeys: [publicKey] }],
})

/** The checks for every runtime, by name. */
const checks = {
  'a device gets a token with the clock of the runtime': async () => {
    const token = await obtainToken()
    equal(token, {
      accessToken: '‹secret›',
      tokenType: 'bearer',
      scopes: ['repo', 'gist'],
      missingScopes: [],
    })
    equal(/^gho_[0-9a-f]{40}$/.test(token.accessToken.reveal()), true)
  },

  'a signal cancels the login': async () => {
    const controller = new AbortController()
    const cancelled = authorizeDevice({
      clientId: 'my-client-id',
      fetch: service.fetch,
      signal: controller.signal,
      onCodes: () => controller.abort(),
    })
    equal((await rejection(cancelled)).code, 'cancelled')
  },

  'two sessions share a login: one refresh for all calls, and one logout': async () => {
    let now = Date.now()
    const clock = {
      now: () => now,
      setTimeout: (callback, delay) => setTimeout(callback, delay),
      clearTimeout: (timer) => clearTimeout(timer),
    }
    const { fetch, first, sent } = rotatingTokens()
    const store = sealed(memoryStore(), crypto.getRandomValues(new Uint8Array(32)))
    const provider = { ...github(), revocationEndpoint: 'https://github.com/revoke' }
    const options = { clientId: 'my-client-id', provider, store, fetch, clock }
    const sessions = [createSession(options), createSession(options)]
    const tokens = () => Promise.all([...sessions, ...sessions].map((session) => session.token()))

    await sessions[0].keep(importToken(first))
    equal(
      (await tokens()).map((token) => token.reveal()),
      Array(4).fill('access-0'),
    )
    now += 3_600_000
    equal(
      (await tokens()).map((token) => token.reveal()),
      Array(4).fill('access-1'),
    )
    equal(await sessions[1].logout(), { revoked: true })
    equal(sent, ['/login/oauth/access_token refresh-0', '/revoke refresh-1'])
    now += 3_600_000
    equal((await rejection(sessions[0].token())).code, 'login_required')
    for (const { actor } of sessions) actor.stop()
  },

  'an app signs a JWT with a PKCS#1 key': async () => {
    const now = Date.UTC(2026, 0, 1)
    const token = await signAppJwt({ appId: APP_ID, privateKey, clock: { now: () => now } })
    equal(JSON.stringify({ token }), '{"token":"‹secret›"}')
    const [header = '', claims = '', signature = ''] = token.reveal().split('.')
    equal(JSON.parse(atob(header)).alg, 'RS256')
    const { iss, iat, exp } = JSON.parse(atob(claims))
    equal([iss, iat <= now / 1000, exp > now / 1000, exp <= now / 1000 + 600], [APP_ID, true, true, true])
    equal(await isSigned(`${header}.${claims}`, signature), true)
    equal(await isSigned(`${header}.${claims}x`, signature), false)
  },

  'a request without credentials is refused': async () => {
    const refused = await rejection(apiWith(none())('/user'))
    equal([refused.code, refused.status], ['refused', 401])
  },

  'basic credentials are accepted': async () => {
    equal(await apiWith(basic('hubot', PASSWORD))('/user'), { login: 'hubot' })
    equal((await rejection(apiWith(basic('hubot', 'password'))('/user'))).status, 401)
  },

  'a personal token is accepted': async () => {
    equal(await apiWith(personalToken(PERSONAL_TOKEN))('/user'), { id: 7, login: 'monalisa' })
  },

  'an app JWT is accepted': async () => {
    equal(await apiWith(app({ appId: APP_ID, privateKey }))('/app'), { id: APP_ID })
  },

  'an installation token is accepted, from one request for two processes, and revoked': async () => {
    const store = sealed(memoryStore(), crypto.getRandomValues(new Uint8Array(32)))
    const [one, other] = [1, 2].map(() =>
      installation({ app: app({ appId: APP_ID, privateKey }), owner: 'octo-org', store }),
    )
    const tokens = await Promise.all([one, other].map((auth) => auth.token({ fetch: hostFetch })))
    equal(tokens[0].reveal(), tokens[1].reveal())
    equal((await apiWith(other)('/installation/repositories')).total_count, 0)
    await one.close()
    equal((await rejection(apiWith(personalToken(tokens[0]))('/installation/repositories'))).status, 401)
  },

  'the token of the device flow is accepted, also through fetch': async () => {
    const token = await obtainToken()
    equal(await apiWith(oauth(token))('/user'), { login: 'octocat' })
    const response = await withAuth(oauth(token), { fetch: hostFetch })('/user')
    equal([response.status, response.headers.get('x-oauth-scopes')], [200, 'repo, gist'])
  },

  'credentials are not sent to another host': async () => {
    const elsewhere = withAuth(personalToken(PERSONAL_TOKEN), { fetch: service.fetch })(
      'https://example.com/',
    )
    equal((await rejection(elsewhere)).code, 'wrong_host')
  },

  'a secret is printed': () => {
    const secret = new Secret(PLANTED)
    equal([String(secret), structuredClone(secret)], ['‹secret›', {}])
    // biome-ignore lint/suspicious/noConsole: the caller searches the output for the value.
    console.log(PRINTED, secret, { nested: [secret] }, basic('hubot', PLANTED), personalToken(PLANTED))
  },

  'the machines load alone': () => {
    equal([deviceAuthorization.id, deviceGrant.id], ['deviceAuthorization', 'deviceGrant'])
  },
}

/** Runs every check in sequence. `problem` says what failed. */
export async function runChecks() {
  const results = []
  for (const [name, check] of Object.entries(checks)) {
    try {
      await inTime(check())
      results.push({ name })
    } catch (error) {
      results.push({ name, problem: String(error.stack ?? error) })
    }
  }
  return results
}

async function inTime(result) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${LONGEST} ms`)), LONGEST)
  })
  await Promise.race([result, late])
  clearTimeout(timer)
}

function obtainToken() {
  return authorizeDevice({
    clientId: 'my-client-id',
    scopes: ['repo', 'gist'],
    fetch: service.fetch,
    onCodes: ({ userCode }) => service.approve(userCode, 'octocat'),
  })
}

function apiWith(auth) {
  return createApi({ auth, fetch: hostFetch })
}

/** Installation tokens that the host has issued. */
const issued = new Set()

/** The API of a host: the service says who sends a request. Installation tokens are the host's own. */
async function hostFetch(input, init) {
  const request = new Request(input, init)
  const path = new URL(request.url).pathname
  const [, token] = request.headers.get('authorization')?.split(' ') ?? []
  if (path === '/installation/repositories' && issued.has(token)) return respond(200, { total_count: 0 })
  if (path === '/installation/token' && issued.delete(token)) return new Response(null, { status: 204 })
  const {
    form,
    user,
    appId,
    scopes = [],
  } = (await service.authenticate(request).catch(() => undefined)) ?? {}
  if (user) return respond(200, user.login ? user : { login: user }, { 'x-oauth-scopes': scopes.join(', ') })
  if (form !== 'app') return respond(401, {})
  if (path === '/app') return respond(200, { id: appId })
  if (path === '/users/octo-org/installation') return respond(200, { id: 42 })
  const made = `ghs_${crypto.randomUUID()}`
  issued.add(made)
  return respond(201, { token: made, expires_at: new Date(Date.now() + 3_600_000).toISOString() })
}

function respond(status, body, headers = {}) {
  const type = { 'content-type': 'application/json' }
  return new Response(JSON.stringify(body), { status, headers: { ...type, ...headers } })
}

async function isSigned(text, signature) {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const spki = bytesOf(publicKey.replaceAll(/-----.*-----|\s/g, ''))
  const key = await crypto.subtle.importKey('spki', spki, algorithm, false, ['verify'])
  return crypto.subtle.verify(algorithm, key, bytesOf(signature), new TextEncoder().encode(text))
}

function bytesOf(base64) {
  const binary = atob(base64.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
