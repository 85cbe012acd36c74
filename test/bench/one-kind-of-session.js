/** Keeps tokens in one way in this process, and prints one figure, or two. Started by sessions.js. */
const [kind, name, size] = process.argv.slice(2)
const count = Number(size)

const HOUR = 3_600_000

/** The time by which tokens expire. */
let now = Date.now()
const clock = {
  now: () => now,
  setTimeout: (callback, delay) => setTimeout(callback, delay),
  clearTimeout: (timer) => clearTimeout(timer),
}

/** The `fetch` of a provider whose refresh tokens work once. */
let requests = 0
let generation = 0
async function fetch(_, { body }) {
  requests += 1
  // Octokit sends JSON, the others send a form.
  const spent = body.startsWith('{')
    ? JSON.parse(body).refresh_token
    : new URLSearchParams(body).get('refresh_token')
  const response =
    spent === `ghr_${generation}`
      ? tokens(++generation)
      : { error: 'bad_refresh_token', error_description: '' }
  return Response.json(response, { headers: { date: new Date(now).toUTCString() } })
}

function tokens(at) {
  return {
    access_token: `ghu_${at}`,
    token_type: 'bearer',
    scope: '',
    expires_in: HOUR / 1000,
    refresh_token: `ghr_${at}`,
    refresh_token_expires_in: 15_897_600,
  }
}

/** Each returns a function that opens one login. That resolves to a function that returns a valid token. */
const kinds = {
  'a hand-written object without a lock': () => async () => {
    const kept = { token: 'ghu_0', refreshToken: 'ghr_0', expiresAt: now + HOUR }
    return async () => {
      if (now < kept.expiresAt - 60_000) return kept.token
      const body = new URLSearchParams({
        client_id: 'id',
        grant_type: 'refresh_token',
        refresh_token: kept.refreshToken,
      })
      const address = 'https://github.com/login/oauth/access_token'
      const fresh = await (await fetch(address, { method: 'POST', body: String(body) })).json()
      if (fresh.error) throw new Error(fresh.error)
      kept.token = fresh.access_token
      kept.refreshToken = fresh.refresh_token
      kept.expiresAt = now + fresh.expires_in * 1000
      return kept.token
    }
  },
  authgraph: () => authgraphSessions((index) => `user-${index}`),
  'authgraph, all over one record': () => authgraphSessions(() => 'default'),
  'a bare XState actor': async () => {
    const { createActor, createMachine } = await import('../../node_modules/xstate/dist/xstate.esm.js')
    const machine = createMachine({})
    return async () => {
      const actor = createActor(machine).start()
      actor.subscribe({ complete: () => undefined })
      return async () => actor
    }
  },
  '@octokit/auth-oauth-user': async () => {
    const { createOAuthUserAuth } = await import('@octokit/auth-oauth-user')
    const { request } = await import('@octokit/request')
    const ours = request.defaults({ request: { fetch } })
    return async () => {
      const auth = createOAuthUserAuth({
        clientType: 'github-app',
        clientId: 'id',
        clientSecret: 'secret',
        token: 'ghu_0',
        refreshToken: 'ghr_0',
        // It reads the system's clock.
        expiresAt: new Date(kind === 'burst' ? Date.now() - 1 : Date.now() + HOUR).toISOString(),
        refreshTokenExpiresAt: new Date(Date.now() + 1000 * HOUR).toISOString(),
        request: ours,
      })
      return async () => (await auth()).token
    }
  },
}

async function authgraphSessions(nameOf) {
  const { importToken } = await import('../../dist/src/index.js')
  const { createSession, memoryStore } = await import('../../dist/src/session/index.js')
  const store = memoryStore()
  const options = { clientId: 'id', store, fetch, clock }
  const first = createSession({ ...options, name: 'first' })
  const { access_token: accessToken, refresh_token: refreshToken } = tokens(0)
  const lasts = { expiresIn: HOUR / 1000, expiresAt: now + HOUR }
  await first.keep(
    importToken({
      v: 1,
      accessToken,
      tokenType: 'bearer',
      scopes: [],
      missingScopes: [],
      refreshToken,
      ...lasts,
    }),
  )
  const record = await store.update('first', (value) => ({ result: value }))
  return async (index) => {
    await store.update(nameOf(index), () => ({ result: undefined, value: record }))
    const session = createSession({ ...options, name: nameOf(index) })
    await session.token()
    return async () => (await session.token()).reveal()
  }
}

const open = await kinds[name]()
const opened = []
async function openAll(number) {
  for (let index = 0; index < number; index++) opened.push(await open(opened.length))
}
// Some first: they load and compile what all need.
await openAll(300)
globalThis.gc()

if (kind === 'open') {
  const { heapUsed } = process.memoryUsage()
  const before = cpu()
  await openAll(count)
  const spent = cpu() - before
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 60))
    globalThis.gc()
  }
  print((process.memoryUsage().heapUsed - heapUsed) / count, spent / count)
} else if (kind === 'token') {
  const [token] = opened
  for (let turn = 0; turn < 10_000; turn++) await token()
  const before = cpu()
  for (let turn = 0; turn < count; turn++) await token()
  print((cpu() - before) / count)
} else {
  now += HOUR
  const [token] = opened
  const results = await Promise.allSettled(Array.from({ length: count }, () => token()))
  print(requests, results.filter(({ status }) => status === 'fulfilled').length)
}
process.exit()

/** Microseconds. */
function cpu() {
  const { user, system } = process.cpuUsage()
  return user + system
}

function print(...figures) {
  process.stdout.write(JSON.stringify(figures))
}
