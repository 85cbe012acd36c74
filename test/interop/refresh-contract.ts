import { describe, expect, onTestFinished, test } from 'vitest'
import { CLIENT_ID, startService } from '../support/start-service.ts'

/** A third-party client that refreshes and revokes tokens. */
interface ForeignRefresher<Authentication> {
  /** The package, with the ways in which its clients authenticate. */
  readonly library: {
    None(): Authentication
    ClientSecretBasic(secret: string): Authentication
    ClientSecretPost(secret: string): Authentication
  }
  connect(
    at: { readonly url: string; readonly clientId: string },
    authentication: Authentication,
  ): Promise<{
    refresh(
      refreshToken: string,
      scope?: string,
    ): Promise<{
      readonly accessToken: string
      readonly refreshToken: string | undefined
      readonly scope: string
    }>
    revoke(token: string): Promise<unknown>
  }>
  /** The error code from the wire in a rejection. */
  errorOf(failure: unknown): unknown
}

/** A secret that each encoding changes. */
export const SECRET = 'a secret: with all/kinds of + characters'

/** What every third-party client must achieve with the refresh tokens of our service, over real HTTP. */
export function refreshContract<Authentication>(
  name: string,
  { library, connect, errorOf }: ForeignRefresher<Authentication>,
): void {
  describe.each([
    ['', library.None(), undefined],
    [' with its secret in a Basic header', library.ClientSecretBasic(SECRET), SECRET],
    [' with its secret in the body', library.ClientSecretPost(SECRET), SECRET],
  ] as const)(`${name}%s`, (_, authentication, clientSecret) => {
    async function loggedIn() {
      const service = startService({
        dialect: 'rfc8628',
        clients: [{ clientId: CLIENT_ID, name: 'App', ...(clientSecret !== undefined && { clientSecret }) }],
        refreshTokens: { lifetime: 86_400 },
      })
      const { access_token, refresh_token } = await service.login(
        clientSecret === undefined ? {} : { client_secret: clientSecret },
      )
      const { url, close } = await service.listen()
      onTestFinished(close)
      const gate = service.requireToken()
      const isValid = (token: string) =>
        gate({ headers: new Headers({ authorization: `Bearer ${token}` }) }).then(
          () => true,
          () => false,
        )
      const client = await connect({ url, clientId: CLIENT_ID }, authentication as Authentication)
      return { ...service, ...client, isValid, accessToken: access_token, refreshToken: refresh_token }
    }

    test('refreshes again and again, with fewer scopes where it asks for fewer', async () => {
      const { refresh, isValid, refreshToken } = await loggedIn()
      const second = await refresh(refreshToken)
      expect([await isValid(second.accessToken), second.scope]).toEqual([true, 'repo gist'])
      const third = await refresh(second.refreshToken ?? '', 'gist')
      expect([await isValid(third.accessToken), third.scope]).toEqual([true, 'gist'])
      expect(new Set([refreshToken, second.refreshToken, third.refreshToken]).size).toBe(3)
    })

    test('is told that a refresh token was spent', async () => {
      const { refresh, wait, isValid, refreshToken } = await loggedIn()
      const second = await refresh(refreshToken)
      wait(30)
      const failure = await refresh(refreshToken).catch((error) => error)
      expect(errorOf(failure)).toBe('invalid_grant')
      expect(await isValid(second.accessToken)).toBe(false)
    })

    test.each(['access token', 'refresh token'])('revokes its %s, and an unknown one', async (kind) => {
      const { refresh, revoke, isValid, accessToken, refreshToken } = await loggedIn()
      await revoke(kind === 'access token' ? accessToken : refreshToken)
      expect(await isValid(accessToken)).toBe(false)
      expect(errorOf(await refresh(refreshToken).catch((error) => error))).toBe('invalid_grant')
      await revoke('unknown')
    })
  })
}
