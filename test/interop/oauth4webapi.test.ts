import * as oauth from 'oauth4webapi'
import { clientContract, wait } from './client-contract.ts'
import { refreshContract } from './refresh-contract.ts'

/** Has requests and parsers; the caller waits. It does not accept an error with status 200. */
clientContract('oauth4webapi', {
  dialects: ['rfc8628'],
  async login({ url, clientId, scopes, fetch, onUserCode }) {
    const options = {
      [oauth.customFetch]: (address: string, init: object) => fetch(address, init),
      [oauth.allowInsecureRequests]: true,
    } as const
    const server = await discover(url, options)
    const client: oauth.Client = { client_id: clientId }
    const none = oauth.None()
    const codes = await oauth
      .deviceAuthorizationRequest(server, client, none, { scope: scopes.join(' ') }, options)
      .then((response) => oauth.processDeviceAuthorizationResponse(server, client, response))
    onUserCode(codes.user_code)
    for (let interval = codes.interval ?? 5; ; ) {
      await wait(interval)
      const response = await oauth.deviceCodeGrantRequest(server, client, none, codes.device_code, options)
      try {
        const token = await oauth.processDeviceCodeResponse(server, client, response)
        return { token: token.access_token, scope: token.scope ?? '' }
      } catch (error) {
        const code = error instanceof oauth.ResponseBodyError ? error.error : undefined
        if (code === 'slow_down') interval += 5
        else if (code !== 'authorization_pending') throw error
      }
    }
  },
  errorOf,
})

refreshContract('oauth4webapi', {
  library: oauth,
  async connect({ url, clientId }, authentication) {
    const options = { [oauth.allowInsecureRequests]: true } as const
    const server = await discover(url, options)
    const client: oauth.Client = { client_id: clientId }
    return {
      async refresh(refreshToken, scope) {
        const additionalParameters = new URLSearchParams(scope === undefined ? {} : { scope })
        const token = await oauth
          .refreshTokenGrantRequest(server, client, authentication, refreshToken, {
            ...options,
            additionalParameters,
          })
          .then((response) => oauth.processRefreshTokenResponse(server, client, response))
        const { access_token: accessToken, refresh_token, scope: granted = '' } = token
        return { accessToken, refreshToken: refresh_token, scope: granted }
      },
      revoke: (token) =>
        oauth
          .revocationRequest(server, client, authentication, token, options)
          .then((response) => oauth.processRevocationResponse(response)),
    }
  },
  errorOf,
})

function errorOf(failure: unknown): string {
  return (failure as oauth.ResponseBodyError).error
}

async function discover(
  url: string,
  options: { readonly [oauth.allowInsecureRequests]: true },
): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(url)
  const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options })
  return oauth.processDiscoveryResponse(issuer, response)
}
