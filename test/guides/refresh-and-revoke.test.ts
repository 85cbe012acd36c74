import { expect, test } from 'vitest'
import { authorizeDevice, discover, refresh } from '../../src/index.ts'
import { CLIENT_ID, HOST } from '../support/start-service.ts'
import { logOutEverywhere } from './refresh-and-revoke/log-out.ts'
import { loginService } from './refresh-and-revoke/service.ts'

test('the service of the guide warns of theft, and logs a user out everywhere', async () => {
  let time = Date.UTC(2026, 0, 1)
  const warned: string[] = []
  const service = loginService(
    {
      clients: [{ clientId: CLIENT_ID, name: 'App' }],
      dialect: 'rfc8628',
      interval: 1,
      clock: { now: () => time },
      onWarning: () => undefined,
    },
    (user) => warned.push(user),
  )
  const provider = await discover(HOST, { fetch: service.fetch })
  const at = { clientId: CLIENT_ID, provider, fetch: service.fetch }
  const login = () =>
    authorizeDevice({ ...at, onCodes: ({ userCode }) => void service.approve(userCode, 'octocat') })
  const gate = service.requireToken()
  const isValid = async ({ accessToken }: Awaited<ReturnType<typeof login>>) => {
    const headers = new Headers({ authorization: `Bearer ${accessToken.reveal()}` })
    return gate({ headers }).then(
      () => true,
      () => false,
    )
  }

  const [stolen, other] = await Promise.all([login(), login()])
  await refresh(stolen, at)
  time += 60_000
  await expect(refresh(stolen, at)).rejects.toMatchObject({ code: 'login_required' })
  expect(warned).toEqual(['octocat'])
  expect(await isValid(other)).toBe(true)

  await logOutEverywhere(service, 'octocat')
  expect(await isValid(other)).toBe(false)
})
