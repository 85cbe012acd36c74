/** Measures what proofs of keys cost a service: polls, and requests authenticated by token, without HTTP. */
import { dpop } from '../../dist/src/dpop/index.js'
import { Secret } from '../../dist/src/index.js'
import { createService } from '../../dist/src/service/index.js'
import { deviceAt, UNLIMITED } from './fields.js'
import { median, printFigures, ratio, takeTurns } from './statistics.js'

/** Rounds, in each of which every contender has its turn. */
const ROUNDS = Number(process.argv[2] ?? 20)

/** Requests of one turn. Their proofs are made before it. */
const REQUESTS = 300

const { createKey, prove, learn } = dpop()
const key = await createKey()

async function proofOf(method, url, token) {
  return (await prove(key, { method, url, token: token && new Secret(token), now: Date.now() })).reveal()
}

/**
 * A service, a device code that is polled, and a token: both are bound to the key if there are rules.
 *
 * @param origin Its own, if it asks for nonces: a client remembers one for each origin.
 */
async function start(rules, origin = 'http://localhost') {
  const [polls, api] = [`${origin}/login/oauth/access_token`, `${origin}/items`]
  const service = createService({
    clients: [{ clientId: 'client', name: 'Client' }],
    leeway: 900,
    limits: UNLIMITED,
    onWarning: () => undefined,
    ...(rules && { dpop: rules }),
  })
  const headersOf = async (...proved) => (rules ? { dpop: await proofOf(...proved) } : {})
  const { codes, poll } = deviceAt(service, { origin })
  const codesAt = `${origin}/login/device/code`
  /** Asks for codes without a nonce, which the service then gives. */
  async function renewNonce() {
    if (!rules?.nonce) return
    const { headers } = await service.fetch(codesAt, {
      method: 'POST',
      headers: await headersOf('POST', codesAt),
      body: new URLSearchParams({ client_id: 'client' }),
    })
    learn(codesAt, { body: undefined, nonce: headers.get('dpop-nonce') ?? undefined, at: Date.now() })
  }
  await renewNonce()
  const begin = async () => codes(await headersOf('POST', codesAt))
  const [waiting, approved] = [await begin(), await begin()]
  await service.approve(approved.user_code, 'user')
  const { access_token } = await poll(approved, await headersOf('POST', polls))
  const authorization = `${rules ? 'DPoP' : 'Bearer'} ${access_token}`
  return {
    renewNonce,
    polls: {
      headers: () => headersOf('POST', polls),
      async send(headers) {
        const { error } = await poll(waiting, headers)
        if (error !== 'authorization_pending') throw new Error(`a poll got ${error}`)
      },
    },
    requests: {
      headers: async () => ({ authorization, ...(await headersOf('GET', api, access_token)) }),
      send: (headers) => service.authenticate({ method: 'GET', url: api, headers: new Headers(headers) }),
    },
  }
}

const services = {
  'without DPoP': await start(),
  'with DPoP': await start({}),
  'with DPoP, `singleUse`': await start({ singleUse: true }),
  'with DPoP, `nonce`': await start({ nonce: true }, 'http://127.0.0.1'),
}

for (const kind of ['polls', 'requests']) {
  const microseconds = async (service) => {
    await service.renewNonce()
    const { headers, send } = service[kind]
    const made = []
    while (made.length < REQUESTS) made.push(await headers())
    const start = process.cpuUsage()
    for (const one of made) await send(one)
    const { user, system } = process.cpuUsage(start)
    return (user + system) / REQUESTS
  }
  const times = await takeTurns(services, ROUNDS, microseconds, 3)
  printFigures(
    `${kind}, ${ROUNDS} rounds of ${REQUESTS}`,
    ['CPU, µs each', 'a second of CPU time', 'of those without'],
    times,
    (values) => [
      `${Math.round(median(values))}`,
      `${Math.round(1e6 / median(values))}`,
      ratio(times['without DPoP'], values),
    ],
  )
}
