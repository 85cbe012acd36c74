import { expect, onTestFinished, test, vi } from 'vitest'
import { logIn } from '../guides/providers/log-in.ts'
import { startOidcProvider } from './support/oidc-provider.ts'

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
