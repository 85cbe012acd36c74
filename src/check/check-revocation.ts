import {
  BAD_REFRESH_TOKEN,
  type CheckContext,
  isUnderTest,
  post,
  refresh,
  said,
  sendInUrl,
  type Tokens,
  tokensIn,
  UNKNOWN_CLIENT,
  wants,
} from './context.ts'
import { open, survivors, validTokens } from './logins.ts'
import type { CheckedResponse } from './wire.ts'

/** A token that no service has issued. */
const UNKNOWN_TOKEN = 'authgraph-check-unknown-token'

/** The requirements that need a token. */
const OF_TOKEN = [
  'revocation-method',
  'foreign-revocation',
  'revoked-access-token',
  'revoked',
  'revoked-refresh-token',
  'revoked-with-refresh-token',
] as const

/** The requirements that need a revocation endpoint. */
export const OF_REVOCATION = ['revocation-unknown', 'revocation-no-token', ...OF_TOKEN] as const

type Revoke = (token: string | undefined, client?: string) => Promise<CheckedResponse>

/**
 * Checks the revocation of tokens, with a new login after each request that has ended one.
 *
 * @param published The endpoint that the metadata of the service names.
 * @param login Tokens that may still be valid.
 */
export async function checkRevocation(
  context: CheckContext,
  published: string | undefined,
  login: Tokens | undefined,
): Promise<void> {
  const { verdicts, clientId, options } = context
  const { revocationEndpoint: named } = options.provider
  const endpoint = named ?? published
  if (endpoint === undefined) {
    verdicts.skip(OF_REVOCATION, 'the service names no revocation endpoint')
    return
  }
  // The service chose this URL.
  if (named === undefined && !isUnderTest(context, endpoint)) {
    verdicts.skip(OF_REVOCATION, 'the revocation endpoint is on another origin: name it in the provider')
    return
  }
  const revoke: Revoke = (token, client = clientId) => post(context, endpoint, { client_id: client, token })

  const unknown = await revoke(UNKNOWN_TOKEN)
  if (unknown.status === 401) {
    verdicts.skip(OF_REVOCATION, 'the revocation endpoint wants a client with a secret: status 401')
    return
  }
  verdicts.judge('revocation-unknown', unknown, notOk(unknown))
  const empty = await revoke(undefined)
  verdicts.judge('revocation-no-token', empty, wants('invalid_request', empty))
  const tokens = await validTokens(context, login)
  if (typeof tokens === 'string') verdicts.skip(OF_TOKEN, tokens)
  else await checkTokens(context, endpoint, revoke, tokens)
}

async function checkTokens(
  context: CheckContext,
  endpoint: string,
  revoke: Revoke,
  login: Tokens,
): Promise<void> {
  const { verdicts, clientId, otherClientId = UNKNOWN_CLIENT } = context
  const opened = await open(context, login.accessToken)
  const isOpen = opened?.status === 200
  if (isOpen) await openByUrl(context, login.accessToken)
  const noResource = opened
    ? `the resource refused a valid token: status ${opened.status}`
    : 'no resource was given'
  const isSeen = isOpen || login.refreshToken !== undefined
  if (!isSeen) verdicts.skip(['revocation-method'], noResource)

  /** Sends a request that must not revoke the token. Returns tokens that are valid after it. */
  async function misuse(
    id: 'revocation-method' | 'foreign-revocation',
    tokens: Tokens | string,
    send: (token: string) => Promise<CheckedResponse>,
  ): Promise<Tokens | string> {
    if (typeof tokens === 'string') return tokens
    const response = await send(tokens.refreshToken ?? tokens.accessToken)
    const left = isSeen ? await survivors(context, tokens) : tokens
    const { status, error } = response
    const isRefused = id === 'revocation-method' || (status >= 400 && status <= 499 && error !== undefined)
    const problem = left ? `got status ${status}` : `got status ${status}, and the token was revoked`
    verdicts.judge(id, response, left && isRefused ? undefined : problem)
    return left ?? validTokens(context, undefined)
  }

  const kept = isSeen
    ? await misuse('revocation-method', login, (token) =>
        sendInUrl(context, 'GET', endpoint, [
          ['client_id', clientId],
          ['token', token],
        ]),
      )
    : login
  const tokens = await misuse('foreign-revocation', kept, (token) => revoke(token, otherClientId))
  if (typeof tokens === 'string') {
    verdicts.skip(OF_TOKEN, tokens)
    return
  }
  if (isOpen || tokens.refreshToken === undefined) {
    const response = await revoke(tokens.accessToken)
    if (tokens.refreshToken === undefined) verdicts.judge('revoked', response, notOk(response))
    const problem = notOk(response)
    if (problem)
      verdicts.skip(['revoked-access-token'], `the service does not revoke access tokens: ${problem}`)
    else if (isOpen) verdicts.judge('revoked-access-token', ...(await stillOpen(context, tokens.accessToken)))
  }
  verdicts.skip(['revoked-access-token'], noResource)
  if (tokens.refreshToken === undefined)
    verdicts.skip(['revoked-refresh-token', 'revoked-with-refresh-token'], 'no refresh token works')
  else
    await checkRefreshToken(
      context,
      revoke,
      await validTokens(context, tokens),
      isOpen ? undefined : noResource,
    )
}

async function checkRefreshToken(
  context: CheckContext,
  revoke: Revoke,
  tokens: Tokens | string,
  noResource: string | undefined,
): Promise<void> {
  const { verdicts, dialect = 'rfc8628' } = context
  if (typeof tokens === 'string' || tokens.refreshToken === undefined) {
    verdicts.skip(OF_TOKEN, typeof tokens === 'string' ? tokens : 'no refresh token works')
    return
  }
  const response = await revoke(tokens.refreshToken)
  verdicts.judge('revoked', response, notOk(response))
  if (response.status !== 200) {
    verdicts.skip(OF_TOKEN, 'the revocation failed')
    return
  }
  const spent = await refresh(context, tokens.refreshToken)
  tokensIn(context, spent)
  verdicts.judge('revoked-refresh-token', spent, wants(BAD_REFRESH_TOKEN[dialect], spent))
  // RFC 7009, section 2.1: the access tokens of a refresh token only should end with it.
  if (noResource) verdicts.skip(['revoked-with-refresh-token'], noResource)
  else verdicts.advise('revoked-with-refresh-token', ...(await stillOpen(context, tokens.accessToken)))
}

/** Opens the resource with a token that was revoked. */
async function stillOpen(
  context: CheckContext,
  accessToken: string,
): Promise<[response: CheckedResponse | undefined, problem: string | undefined]> {
  const response = await open(context, accessToken)
  return [response, response?.status === 200 ? 'the resource accepted the token' : undefined]
}

/** Sends the token where it ends up in logs and in the history: a resource should refuse it there. */
async function openByUrl({ wire, options }: CheckContext, accessToken: string): Promise<void> {
  const url = new URL(options.resource ?? '')
  url.searchParams.set('access_token', accessToken)
  await wire.send({ method: 'GET', url: url.href })
}

function notOk({ status, error }: CheckedResponse): string | undefined {
  if (status === 200) return error === undefined ? undefined : `got ${said(error)}`
  return status === 0 ? 'no response' : `wanted status 200, got ${status}`
}
