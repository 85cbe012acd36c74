import { type Check, listFields, NotApplicable, UNKNOWN_CLIENT } from './check.ts'
import { publishedUrl } from './check-documents.ts'
import { BAD_REFRESH_TOKEN, openResource, refreshTokenOf, survivors, validTokens } from './logins.ts'
import { type Problem, quote, wants } from './problems.ts'
import type { CheckedTokens } from './tokens.ts'
import type { CheckedResponse } from './wire.ts'

const UNKNOWN_TOKEN = 'authgraph-check-unknown-token'

/**
 * Checks the revocation of tokens, with a new login after each request that has ended one.
 *
 * @param published The metadata of the service.
 */
export async function checkRevocation(check: Check, published: CheckedResponse | undefined): Promise<void> {
  const { otherClientId = UNKNOWN_CLIENT, dialect = 'rfc8628' } = check
  const endpoint = endpointOf(check, published)
  const revoke = (token: string | undefined, client_id = check.clientId) =>
    check.post(endpoint, listFields({ client_id, token }))

  const unknown = await revoke(UNKNOWN_TOKEN)
  if (unknown.status === 401)
    throw new NotApplicable('the revocation endpoint wants a client with a secret: status 401')
  check.judge('revocation-unknown', unknown, notOk)
  check.judge('revocation-no-token', await revoke(undefined), wants('invalid_request'))

  let login = await validTokens(check, check.login)
  const opened = await openResource(check, login.accessToken)
  const isOpen = opened?.status === 200
  if (isOpen) await openByUrl(check, login.accessToken)
  const noResource = opened
    ? `the resource refused a valid token: status ${opened.status}`
    : 'no resource was given'
  const isSeen = isOpen || login.refreshToken !== undefined

  /** Judges a request that must not revoke the token. Afterwards, `login` is valid. */
  async function misuse(
    id: 'revocation-method' | 'foreign-revocation',
    response: CheckedResponse,
    isRefused: boolean,
  ): Promise<void> {
    const left: CheckedTokens | undefined = isSeen ? await survivors(check, login) : login
    const problem = `got status ${response.status}${left ? '' : ', and the token was revoked'}`
    check.judge(id, response, left && isRefused ? undefined : problem)
    login = left ?? (await validTokens(check))
  }

  if (isSeen) {
    const fields = listFields({ client_id: check.clientId, token: tokenOf(login) })
    await misuse('revocation-method', await check.sendInUrl('GET', endpoint, fields), true)
  } else check.skip(['revocation-method'], noResource)
  const foreign = await revoke(tokenOf(login), otherClientId)
  const isRefused = foreign.status >= 400 && foreign.status <= 499 && foreign.error !== undefined
  await misuse('foreign-revocation', foreign, isRefused)

  if (isOpen || login.refreshToken === undefined) {
    const response = await revoke(login.accessToken)
    if (login.refreshToken === undefined) check.judge('revoked', response, notOk)
    const problem = notOk(response)
    if (problem) check.skip(['revoked-access-token'], `the service does not revoke access tokens: ${problem}`)
    else if (isOpen)
      check.judge('revoked-access-token', await openResource(check, login.accessToken), accepted)
  }
  check.skip(['revoked-access-token'], noResource)

  refreshTokenOf(login)
  login = await validTokens(check, login)
  const refreshToken = refreshTokenOf(login)
  const response = await revoke(refreshToken)
  check.judge('revoked', response, notOk)
  if (response.status !== 200) throw new NotApplicable('the revocation failed')
  const refreshed = await check.refresh(refreshToken)
  check.judge('revoked-refresh-token', refreshed, wants(BAD_REFRESH_TOKEN[dialect]))
  // RFC 7009, section 2.1: the access tokens of a refresh token only should end with it.
  if (!isOpen) throw new NotApplicable(noResource)
  check.advise('revoked-with-refresh-token', await openResource(check, login.accessToken), accepted)
}

function endpointOf(check: Check, published: CheckedResponse | undefined): string {
  return check.options.provider.revocationEndpoint ?? publishedUrl(check, published, 'revocation_endpoint')
}

function tokenOf({ accessToken, refreshToken }: CheckedTokens): string {
  return refreshToken ?? accessToken
}

/** Sends the token where it ends up in logs and in the history: a resource should refuse it there. */
async function openByUrl({ wire, options }: Check, accessToken: string): Promise<void> {
  const url = new URL(options.resource ?? '')
  url.searchParams.set('access_token', accessToken)
  await wire.send({ method: 'GET', url: url.href })
}

const accepted: Problem = ({ status }) => (status === 200 ? 'the resource accepted the token' : undefined)

const notOk: Problem = ({ status, error }) => {
  if (status === 200) return error === undefined ? undefined : `got ${quote(error)}`
  return status === 0 ? 'no response' : `wanted status 200, got ${status}`
}
