import { join } from 'node:path'
import { refresh } from '../../client/refresh.ts'
import { LoginRequiredError } from '../../errors.ts'
import { CommandError } from '../command-error.ts'
import { providerAt } from '../network/service-address.ts'
import { fileOf, stateFolder } from './folders.ts'
import type { KeptLogin, TokenStore } from './kept-login.ts'
import { withLock } from './lock.ts'
import type { NamedProfile } from './saved-profiles.ts'
import { tokenStore } from './token-store.ts'

/** Milliseconds before its expiry from which a token counts as expired: it must last until it is used. */
const EARLY = 60_000

/**
 * Returns the login of a profile with a valid token. An expired token is refreshed and stored.
 *
 * @throws {@link CommandError} with code `no_login` if there is no login or it cannot be refreshed; and the errors of
 * `refresh`.
 */
export async function usableLogin(profile: NamedProfile, fetch: typeof globalThis.fetch): Promise<KeptLogin> {
  const store = await tokenStore(profile.store)
  const login = await keptLogin(profile, store)
  if (!hasEnded(login)) return login
  // A refresh token works only once: of two concurrent commands, the second uses the token that the first received.
  return withLock(`${fileOf(join(stateFolder(), 'locks'), profile.name)}.lock`, async () => {
    const current = await keptLogin(profile, store)
    return hasEnded(current) ? renewed(profile, { login: current, store, fetch }) : current
  })
}

async function keptLogin({ name }: NamedProfile, store: TokenStore): Promise<KeptLogin> {
  const login = await store.read(name)
  if (login) return login
  throw new CommandError('no_login', `the token of ${name} is missing: ${loginAgain(name)}`)
}

function hasEnded({ token: { expiresAt } }: KeptLogin): boolean {
  return expiresAt !== undefined && expiresAt - EARLY < Date.now()
}

async function renewed(
  profile: NamedProfile,
  { login, store, fetch }: { login: KeptLogin; store: TokenStore; fetch: typeof globalThis.fetch },
): Promise<KeptLogin> {
  const { clientId, token } = login
  if (token.refreshToken === undefined) throw over(profile)
  try {
    const fresh = await refresh(token, {
      clientId,
      fetch,
      provider: await providerAt(profile.address, fetch),
      onToken: (pair) => store.write(profile.name, { clientId, token: pair }),
    })
    return { clientId, token: fresh }
  } catch (error) {
    throw error instanceof LoginRequiredError ? over(profile) : error
  }
}

function over(profile: NamedProfile): CommandError {
  return new CommandError('no_login', `the login of ${profile.name} has expired: ${loginAgain(profile.name)}`)
}

function loginAgain(name: string): string {
  return `run authgraph login --profile ${name}`
}
