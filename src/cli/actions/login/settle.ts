import type { DeviceResult } from '../../../../machines/device-authorization.ts'
import { reasonOf } from '../../../client/authorize-device.ts'
import type { OAuthToken } from '../../../protocol/oauth-record.ts'
import { CommandError } from '../../command-error.ts'
import { environmentFetch } from '../../network/environment-fetch.ts'
import { authOrigin } from '../../network/service-address.ts'
import { replaceableProfile, saveProfile } from '../../storage/saved-profiles.ts'
import { tokenStore } from '../../storage/token-store.ts'
import { validityOf } from '../../storage/validity.ts'
import { type Line, styled } from '../../terminal/writer.ts'
import type { LoginSession } from './login-session.ts'
import type { Plan } from './plan.ts'

/** Stores the token of a login and its profile. Throws the error of a login without a token. */
export async function saveToken(result: DeviceResult, plan: Plan): Promise<OAuthToken> {
  if (result.status !== 'authorized') throw reasonOf(result)
  const { token } = result
  const { name, address, scopes, store, clientId } = plan
  try {
    await store.write(name, { clientId, token })
  } catch (error) {
    const why = error instanceof Error ? error.message : 'the store failed'
    throw new CommandError('not_kept', `the token was received but could not be stored, and is lost: ${why}`)
  }
  if (store.name === 'none') return token
  const before = replaceableProfile(name)
  saveProfile(name, { address, scopes: [...scopes], store: store.name, since: Date.now() })
  if (before && before.store !== store.name) await eraseFrom(before.store, name)
  return token
}

/** Asks the API who has logged in and reports the login. */
export async function reportLogin(
  token: OAuthToken,
  { options, plan, provider, report }: LoginSession,
): Promise<void> {
  const { name, address, store } = plan
  const { whoIs } = await import('../../network/who-is.ts')
  const response = await whoIs(token, { provider, fetch: await environmentFetch() })
  const user = typeof response === 'string' ? response : undefined
  const { host } = authOrigin(address)
  report.say(
    {
      event: 'authorized',
      profile: name,
      host,
      ...(user && { user }),
      scopes: token.scopes,
      missingScopes: token.missingScopes,
      ...(token.warning && { warning: token.warning }),
      ...(token.expiresAt && { expiresAt: token.expiresAt }),
      store: store.name,
      ...(options.print && { token: token.accessToken.reveal() }),
    },
    '',
    [
      styled('green', '✓'),
      ' Logged in to ',
      styled('bold', host),
      ...(user ? [' as ', styled('bold', user)] : []),
    ],
    ...(name === host ? [] : [`  profile     ${name}`]),
    ...tokenLines(token),
    ...(store.name === 'none' ? [] : [`  stored in   ${store.place(name)}`]),
    '',
  )
  if (options.print && !options.json) process.stdout.write(`${token.accessToken.reveal()}\n`)
}

/** Deletes the token of the previous login, which nothing would use again, unless its store fails. */
async function eraseFrom(store: 'keyring' | 'file', name: string): Promise<void> {
  try {
    await (await tokenStore(store)).erase(name)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
  }
}

function tokenLines(token: OAuthToken): Line[] {
  const { scopes, missingScopes } = token
  return [
    `  scopes      ${scopes.join(', ') || 'none'}`,
    ...(missingScopes.length > 0 ? [`  not granted ${missingScopes.join(', ')}`] : []),
    ...(token.warning
      ? [`  type        ${token.tokenType || 'unknown'}: authgraph stores it but cannot send it`]
      : []),
    `  valid       ${validityOf(token)}`,
  ]
}
