import * as v from 'valibot'
import type { DeviceResult } from '../../../../machines/device-authorization.ts'
import { reasonOf } from '../../../client/authorize-device.ts'
import { NotKeptError } from '../../../errors.ts'
import type { OAuthToken } from '../../../protocol/oauth-record.ts'
import { CommandError } from '../../command-error.ts'
import { environmentFetch } from '../../network/environment-fetch.ts'
import { authOrigin, endpoints } from '../../network/service-address.ts'
import { placeOf } from '../../storage/login-stores.ts'
import { sessionOf } from '../../storage/open-session.ts'
import { removeUnreadable } from '../../storage/saved-logins.ts'
import { validityOf } from '../../storage/validity.ts'
import { type Line, styled } from '../../terminal/writer.ts'
import type { LoginSession } from './login-session.ts'

/** Stores the token of a login and its profile. Throws the error of a login without a token. */
export async function saveToken(
  result: DeviceResult,
  { plan, provider, fetch }: LoginSession,
): Promise<OAuthToken> {
  if (result.status !== 'authorized') throw reasonOf(result)
  const { token } = result
  const { name, address, scopes, store, clientId } = plan
  const found = 'issuer' in address && { endpoints: v.parse(endpoints, provider) }
  const profile = { name, address, ...found, scopes: [...scopes], store, since: Date.now() }
  try {
    await removeUnreadable(profile)
    const session = sessionOf(profile, { clientId, provider, fetch })
    await session.keep(token).finally(() => session.actor.stop())
  } catch (error) {
    const { message: why } = (error instanceof NotKeptError ? error.cause : error) as Error
    throw new CommandError('not_kept', `the token was received but could not be stored, and is lost: ${why}`)
  }
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
      store,
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
    ...(store === 'none' ? [] : [`  stored in   ${placeOf(store, name)}`]),
    '',
  )
  if (options.print && !options.json) process.stdout.write(`${token.accessToken.reveal()}\n`)
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
