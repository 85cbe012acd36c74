import { expect, onTestFinished, test, vi } from 'vitest'
import { authorizeDevice, discover, refresh } from '../../src/index.ts'
import { createService } from '../../src/service/index.ts'
import { CLIENT_ID, HOST } from '../support/start-service.ts'
import { warnOfTheft } from './refresh-and-revoke/warn-of-theft.ts'

test('the service of the guide warns of theft, and logs a user out everywhere', async () => {
  let time = Date.UTC(2026, 0, 1)
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => written.mockRestore())
  const service = createService({
    clients: [{ clientId: CLIENT_ID, name: 'App' }],
    dialect: 'rfc8628',
    interval: 1,
    clock: { now: () => time },
    onWarning: () => undefined,
    refreshTokens: { lifetime: 90 * 24 * 60 * 60 },
    onEvent: warnOfTheft,
  })
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
  expect(written.mock.calls).toEqual([['A refresh token of octocat was reused.\n']])
  expect(await isValid(other)).toBe(true)

  await service.revoke({ user: 'octocat' })
  expect(await isValid(other)).toBe(false)
})
