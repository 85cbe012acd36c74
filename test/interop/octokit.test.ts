import { createOAuthDeviceAuth } from '@octokit/auth-oauth-device'
import { request } from '@octokit/request'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createService, type Listening, type ServiceOptions } from '../../src/service/index.ts'
import { fastTime } from '../support/fast-time.ts'

const clock = fastTime()
const options: ServiceOptions = { clients: [{ clientId: 'octokit', name: 'Octokit' }], interval: 1, clock }
const services = {
  usual: createService(options),
  /** Octokit polls at once, which is too early here. */
  strict: createService({ ...options, interval: 5, firstPoll: 'counted' }),
}
const listening: Listening[] = []

beforeAll(async () => {
  for (const service of Object.values(services)) listening.push(await service.listen())
})

afterAll(() => Promise.all(listening.map(({ close }) => close())))

/** Logs in over HTTP. The user decides once there were this many answers to polls. */
async function login(
  name: keyof typeof services,
  decide: (userCode: string) => Promise<unknown>,
  decideAfter: number,
) {
  const baseUrl = listening[Object.keys(services).indexOf(name)]?.url ?? ''
  const heard: string[] = []
  let userCode = ''
  const hooked: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init)
    const body = await answer.clone().json()
    if (String(input).endsWith('/access_token')) heard.push(body.error ?? 'token')
    if (heard.length === decideAfter) await decide(userCode)
    return answer
  }
  const auth = createOAuthDeviceAuth({
    clientType: 'oauth-app',
    clientId: 'octokit',
    scopes: ['repo', 'gist'],
    onVerification: (codes) => {
      userCode = codes.user_code
      expect(codes.verification_uri).toBe(`${baseUrl}/login/device`)
    },
    request: request.defaults({ baseUrl, request: { fetch: hooked } }),
  })
  return { login: auth({ type: 'oauth' }), heard, baseUrl }
}

test('obtains a token of our service, and uses it', async () => {
  const { approve } = services.usual
  const { login: auth, heard, baseUrl } = await login('usual', (code) => approve(code, 'octocat'), 2)
  const { token } = await auth
  expect(heard).toEqual(['authorization_pending', 'authorization_pending', 'token'])
  const { data } = await request('GET /user', { baseUrl, headers: { authorization: `token ${token}` } })
  expect(data).toEqual({ login: 'octocat' })
})

test('hears of our service that the user denied', async () => {
  const { login: auth, heard } = await login('usual', services.usual.deny, 1)
  await expect(auth).rejects.toMatchObject({ response: { data: { error: 'access_denied' } } })
  expect(heard).toEqual(['authorization_pending', 'access_denied'])
})

test('is slowed down by our service, and obtains its token', async () => {
  const { approve } = services.strict
  const { login: auth, heard } = await login('strict', (code) => approve(code, 'octocat'), 2)
  expect((await auth).token).toMatch(/^gho_/)
  expect(heard).toEqual(['slow_down', 'authorization_pending', 'token'])
})
