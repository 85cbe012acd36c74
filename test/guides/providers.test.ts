import { expect, onTestFinished, test, vi } from 'vitest'
import { logIn } from './providers/log-in.ts'

test('it says so if a policy forbids the login', async () => {
  const issuer = 'https://login.example'
  vi.stubGlobal('fetch', async (address: string) =>
    address.startsWith(`${issuer}/.well-known/`)
      ? Response.json({
          issuer,
          device_authorization_endpoint: `${issuer}/device`,
          token_endpoint: `${issuer}/token`,
        })
      : Response.json({ error: 'unauthorized_client' }, { status: 400 }),
  )
  onTestFinished(() => void vi.unstubAllGlobals())
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => written.mockRestore())
  await expect(logIn(issuer, 'id', () => undefined)).rejects.toMatchObject({ code: 'forbidden' })
  expect(written.mock.calls).toEqual([['Ask your administrator to allow this app.\n']])
})
