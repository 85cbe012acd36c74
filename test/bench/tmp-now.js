/** Runs flows of one kind in this process, and prints CPU microseconds or bytes of heap a flow. Started by flows.js. */
const [kind, name, size] = process.argv.slice(2)
const count = Number(size)

/** How much faster than the world's the time of the timers is: slower where all flows shall wait at once. */
const RATE = kind === 'cpu' ? 20 : 0.05

const { setTimeout: realSetTimeout } = globalThis
globalThis.setTimeout = (callback, delay = 0, ...args) => realSetTimeout(callback, delay / RATE, ...args)
const begin = Date.now()
const clock = {
  now: () => begin + (Date.now() - begin) * RATE,
  setTimeout: (callback, delay) => setTimeout(callback, delay),
  clearTimeout: (timer) => clearTimeout(timer),
}

const codes = {
  device_code: '3584d83530557fdd1f46af8289938c8ef79f9dc5',
  user_code: 'WDJB-MJHT',
  verification_uri: 'https://github.com/login/device',
  // A day: on a busy machine ten thousand flows take minutes, of which each counts twenty times.
  expires_in: 86_400,
  interval: 5,
}
const pending = { error: 'authorization_pending' }
const token = {
  access_token: 'gho_16C7e42F292c6912E7710c838347Ae178B4a',
  token_type: 'bearer',
  scope: 'repo',
}

/** A service for one flow, in this process: codes, two polls that are pending, then the token. */
function service() {
  let asked = 0
  return async () => {
    const body = JSON.stringify([codes, pending, pending, token][asked++])
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(body.length),
    }
    return new Response(body, { headers })
  }
}

/** Each starts one flow and gives the promise of its end; `shown` is called when it has its codes. */
const kinds = {
  'a hand-written loop': () => async (shown) => {
    const fetch = service()
    const post = async (fields) =>
      (await fetch('https://github.com', { method: 'POST', body: new URLSearchParams(fields) })).json()
    const { device_code, interval } = await post({ client_id: 'id', scope: 'repo' })
    shown()
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, interval * 1000))
      const response = await post({ client_id: 'id', device_code, grant_type: 'device_code' })
      if (response.access_token) return response
    }
  },
  authgraph: async () => {
    const { authorizeDevice } = await import('/tmp/h/s6E/dist/src/index.js')
    return (shown) =>
      authorizeDevice({ clientId: 'id', scopes: ['repo'], fetch: service(), clock, onCodes: shown })
  },
  '@octokit/auth-oauth-device': async () => {
    const { createOAuthDeviceAuth } = await import('@octokit/auth-oauth-device')
    const { request } = await import('@octokit/request')
    return (shown) =>
      createOAuthDeviceAuth({
        clientType: 'oauth-app',
        clientId: 'id',
        scopes: ['repo'],
        onVerification: shown,
        request: request.defaults({ request: { fetch: service() } }),
      })({ type: 'oauth' })
  },
  'openid-client': async () => {
    const client = await import('openid-client')
    return async (shown) => {
      const server = {
        issuer: 'https://github.com',
        device_authorization_endpoint: 'https://github.com/login/device/code',
        token_endpoint: 'https://github.com/login/oauth/access_token',
      }
      const config = new client.Configuration(server, 'id', undefined, client.None())
      const response = service()
      config[client.customFetch] = async () => {
        const said = await response()
        const body = await said.text()
        return new Response(body, { status: body.includes('error') ? 400 : 200, headers: said.headers })
      }
      const codes = await client.initiateDeviceAuthorization(config, { scope: 'repo' })
      shown()
      return client.pollDeviceAuthorizationGrant(config, codes)
    }
  },
  'a bare XState actor with one `after`': async () => {
    const { createActor, createMachine } = await import('../../node_modules/xstate/dist/xstate.esm.js')
    const machine = createMachine({
      initial: 'waiting',
      states: { waiting: { after: { 900000: 'over' } }, over: { type: 'final' } },
    })
    return (shown) => {
      const actor = createActor(machine).start()
      shown()
      return new Promise((resolve) => actor.subscribe({ complete: resolve }))
    }
  },
}

const start = await kinds[name]()
// Some flows first: they load and compile what all need. Where CPU is measured, they end before the figures begin.
if (kind === 'cpu') await Promise.all(Array.from({ length: 300 }, () => start(() => {})))
else await new Promise((resolve) => start(resolve))
globalThis.gc()

if (kind === 'cpu') {
  const before = process.cpuUsage()
  await Promise.all(Array.from({ length: count }, () => start(() => {})))
  const { user, system } = process.cpuUsage(before)
  process.stdout.write(String((user + system) / count))
} else {
  const ends = []
  const { heapUsed: before } = process.memoryUsage()
  let shown = 0
  await new Promise((resolve) => {
    for (let index = 0; index < count; index++) {
      ends.push(
        start(() => {
          if (++shown === count) resolve()
        }),
      )
    }
  })
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => realSetTimeout(resolve, 60))
    globalThis.gc()
  }
  process.stdout.write(String((process.memoryUsage().heapUsed - before) / count))
}
process.exit()
