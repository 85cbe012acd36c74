import { expect, onTestFinished, test, vi } from 'vitest'
import { startOidcProvider } from '../support/oidc-provider.ts'
import { logIn } from './providers/log-in.ts'

/** Waits of the login pass twenty times as fast; a server of another package has no clock to be set. */
function hurry(): void {
  const { setTimeout } = globalThis
  vi.stubGlobal('setTimeout', (callback: () => void, delay = 0, ...more: unknown[]) =>
    setTimeout(callback, delay >= 1000 ? delay / 20 : delay, ...(more as [])),
  )
  onTestFinished(() => void vi.unstubAllGlobals())
}

test('the login of the guide returns the id of the user at oidc-provider', async () => {
  const provider = await startOidcProvider()
  onTestFinished(provider.close)
  hurry()
  // Users may write the URL with a slash at its end; the ID token names the issuer without it.
  expect(await logIn(`${provider.issuer}/`, 'device', provider.approve)).toBe('user')
})

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
