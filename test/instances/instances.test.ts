import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { AuthgraphError, authorizeDevice, github, type OAuthToken } from '../../src/index.ts'
import { createService, StoreUnavailableError } from '../../src/service/index.ts'
import { redisStore } from '../../src/service/stores/redis.ts'
import { postgresStore } from '../../src/service/stores/sql/index.ts'
import { loadBalancer } from '../support/load-balancer.ts'
import { hasPostgres, startPostgres } from '../support/postgres-server.js'
import { hasRedis, startRedis } from '../support/redis-server.js'
import { serveCommand } from '../support/serve-command.ts'
import { GRANT_TYPE } from '../support/start-service.ts'

const CLIENT_ID = 'client-id'
const CODES_PATH = '/login/device/code'
const TOKEN_PATH = '/login/oauth/access_token'

const FLOWS = 200

/** Concurrent flows. */
const AT_ONCE = 50

const instances: ReturnType<typeof serveCommand>[] = []

afterAll(() => Promise.all(instances.map(({ kill }) => kill())))

const DATABASES = [
  { name: 'Redis', isHere: hasRedis, start: () => startRedis('kept'), storeAt: redisStore },
  { name: 'PostgreSQL', isHere: hasPostgres, start: () => startPostgres(), storeAt: postgresStore },
]

describe.each(DATABASES)('with $name', ({ isHere, start, storeAt }) => {
  test.skipIf(!isHere)(
    `${FLOWS} logins succeed over two instances, one of which is killed, and a database that is killed`,
    async () => {
      const database = await start()
      onTestFinished(database.stop)
      // Code requests go to the first instance, and polls to the second while it is alive.
      const alive: string[] = []
      const balancer = await loadBalancer((path) => (path === CODES_PATH ? alive.at(0) : alive.at(-1)) ?? '')
      onTestFinished(balancer.close)

      async function addInstance() {
        const instance = serveCommand(
          ...['--store', database.url, '--client', `${CLIENT_ID}=App`, '--interval', '1'],
          ...['--auth-url', balancer.url, '--trust-proxy', '127.0.0.1'],
        )
        instances.push(instance)
        const url = await instance.url()
        alive.push(url)
        return { ...instance, url }
      }
      await addInstance()
      const second = await addInstance()

      const store = storeAt(database.url)
      onTestFinished(store.close)
      const page = createService({ store, clients: [{ clientId: CLIENT_ID, name: 'App' }] })

      /** Approves, and retries while the service is not ready. A confirmed approval must hold. */
      async function approve(userCode: string, user: string): Promise<void> {
        for (;;) {
          const decision = await page.approve(userCode, user).catch((error) => {
            if (!(error instanceof StoreUnavailableError)) throw error
          })
          if (decision === undefined) continue
          // "decided" after an earlier attempt whose response was lost.
          expect(decision).toMatch(/^(done|decided)$/)
          return
        }
      }

      const restarted: string[] = []
      /** One login, from the codes to the token. Without codes, the device retries. */
      async function login(user: string): Promise<OAuthToken> {
        let approved: Promise<void> | undefined
        try {
          return await authorizeDevice({
            clientId: CLIENT_ID,
            provider: github({ authUrl: balancer.url, baseUrl: balancer.url }),
            onCodes: ({ userCode }) => {
              approved = approve(userCode, user)
            },
          })
        } catch (error) {
          if (!(error instanceof AuthgraphError)) throw error
          if (approved !== undefined) restarted.push(user)
          return login(user)
        } finally {
          await approved
        }
      }

      const events = new Map<number, () => Promise<unknown>>([
        [
          FLOWS * 0.3,
          async () => {
            alive.splice(alive.indexOf(second.url), 1)
            await second.kill()
            await addInstance()
          },
        ],
        [
          FLOWS * 0.6,
          async () => {
            await database.kill()
            await database.start()
          },
        ],
      ])

      const tokens = new Map<string, OAuthToken>()
      const disturbed: Promise<unknown>[] = []
      let begun = 0
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          while (begun < FLOWS) {
            const user = `user-${begun}`
            begun += 1
            tokens.set(user, await login(user))
            const disturb = events.get(tokens.size)
            if (disturb) disturbed.push(disturb())
          }
        }),
      )
      await Promise.all(disturbed)
      expect(disturbed).toHaveLength(2)

      expect(tokens.size).toBe(FLOWS)
      expect(new Set([...tokens.values()].map(({ accessToken }) => accessToken.reveal())).size).toBe(FLOWS)
      expect(restarted).toEqual([])

      const issued = new Map<string, Set<string>>()
      for (const { path, response = '', body } of balancer.passed) {
        if (path !== TOKEN_PATH || !response.includes('"access_token"')) continue
        const code = new URLSearchParams(body).get('device_code') ?? ''
        const { access_token } = JSON.parse(response.slice(response.indexOf('{')))
        issued.set(code, (issued.get(code) ?? new Set()).add(access_token))
      }
      expect(issued.size).toBe(FLOWS)
      expect([...issued.values()].every((tokens) => tokens.size === 1)).toBe(true)
      await Promise.all(
        [...tokens].map(async ([user, { accessToken }]) => {
          const headers = { authorization: `Bearer ${accessToken.reveal()}` }
          expect(await ask('/user', { headers })).toEqual({ login: user })
        }),
      )
      await Promise.all(
        [...issued.keys()].map(async (device_code) => {
          const body = new URLSearchParams({ client_id: CLIENT_ID, device_code, grant_type: GRANT_TYPE })
          expect(await ask(TOKEN_PATH, { method: 'POST', body })).toMatchObject({
            error: 'incorrect_device_code',
          })
        }),
      )

      async function ask(path: string, init: RequestInit): Promise<unknown> {
        return (await fetch(balancer.url + path, init)).json()
      }
    },
  )
})
