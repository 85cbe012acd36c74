import * as v from 'valibot'
import type { DeviceResult } from '../../../../machines/device-context.ts'
import { reasonOf } from '../../../client/authorize-device.ts'
import { NotKeptError } from '../../../errors.ts'
import type { OAuthToken } from '../../../protocol/oauth-token.ts'
import { keepInTime } from '../../../session/keep-in-time.ts'
import { newLoginReport } from '../../../terminal/login-facts.ts'
import { visibleJson } from '../../../terminal/writer.ts'
import { tryToPrint } from '../../command.ts'
import { CommandError } from '../../command-error.ts'
import { askWho } from '../../network/ask-who.ts'
import { environmentFetch } from '../../network/environment-fetch.ts'
import { authOrigin, endpoints } from '../../network/service-address.ts'
import { nextSteps } from '../../next-steps.ts'
import { printWarning } from '../../print-error.ts'
import { forgetChoice, whyUnused } from '../../storage/profiles.ts'
import { placeOf, sessionOf } from '../../storage/saved-logins.ts'
import type { LoginOptions, LoginSession } from './plan.ts'

/**
 * Stores the token of a login with its profile, then prints it with `--print`. Throws the error of a login without a
 * token.
 */
export async function saveToken(
  result: DeviceResult,
  { options, plan, provider, fetch }: LoginSession,
): Promise<OAuthToken> {
  if (result.status !== 'authorized') throw reasonOf(result)
  const token = byLocalClock(result.token)
  const { name, address, scopes, store, clientId } = plan
  const found = 'issuer' in address && { endpoints: v.parse(endpoints, provider) }
  const profile = { address, ...found, scopes: [...scopes], store, since: Date.now() }
  const session = await sessionOf(name, profile, { clientId, provider, fetch })
  try {
    const error = await keepInTime(session, token).catch((error) => error)
    // The service issues the token once: whatever happened to it in one place, the other one is tried.
    const isPrinted = options.print && (await print(token, options))
    if (error) {
      const { message: why } = (error instanceof NotKeptError ? error.cause : error) as Error
      const lost = isPrinted ? '' : ', and is lost'
      throw new CommandError('not_kept', `the token was received but could not be stored${lost}: ${why}`)
    }
    // The last login is the current one.
    forgetChoice()
    if (isPrinted === false)
      throw store === 'none'
        ? new CommandError('not_kept', 'the token was received but could not be printed, and is lost')
        : new CommandError(
            'unusable_output',
            `the token is stored but could not be printed: run authgraph token --profile ${name}`,
          )
    return token
  } finally {
    session.actor.stop()
  }
}

function print({ accessToken }: OAuthToken, { json }: LoginOptions): Promise<boolean> {
  const token = accessToken.reveal()
  return tryToPrint(`${json ? visibleJson({ event: 'token', token }) : token}\n`)
}

/** The `Date` of the service may be wrong. */
function byLocalClock(token: OAuthToken): OAuthToken {
  const { expiresIn } = token
  return expiresIn === undefined ? token : { ...token, expiresAt: Date.now() + expiresIn * 1000 }
}

/** Asks the service who has logged in and reports the login. */
export async function reportLogin(
  token: OAuthToken,
  { plan, provider, terminal }: LoginSession,
): Promise<void> {
  const { name, address, store } = plan
  const { user, error } = await askWho(token, name, { provider, fetch: await environmentFetch() })
  const { host } = authOrigin(address)
  const place = store === 'none' ? undefined : placeOf(store, name)
  const { event, lines } = newLoginReport({ name, host, place, user, error }, token, 'authgraph')
  const why = store === 'none' ? undefined : whyUnused(name)
  const next = {
    'authgraph status': 'check the login',
    ...(provider.baseUrl !== undefined && { 'authgraph api /user': 'call the API' }),
    'authgraph token': 'print the token, for scripts',
  }
  const more = store === 'none' || why ? [] : nextSteps(next)
  terminal.report.say({ event: 'authorized', profile: name, ...event, store }, ...lines, ...more)
  if (why) printWarning(`${why} To use this login, add --profile ${name}.`)
}
