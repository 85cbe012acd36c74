import * as client from 'openid-client'
import { clientContract, type ForeignClient } from './client-contract.ts'
import { refreshContract } from './refresh-contract.ts'

/** A client with this authentication. It does not accept an error with status 200. */
function openidClient(authentication: client.ClientAuth): ForeignClient {
  return {
    dialects: ['rfc8628'],
    async login({ url, clientId, scopes, fetch, onUserCode }) {
      const config = await client.discovery(new URL(url), clientId, undefined, authentication, {
        algorithm: 'oauth2',
        execute: [client.allowInsecureRequests],
        [client.customFetch]: (address, init) => fetch(address, init as RequestInit),
      })
      const codes = await client.initiateDeviceAuthorization(config, { scope: scopes.join(' ') })
      onUserCode(codes.user_code)
      const { access_token, scope = '' } = await client.pollDeviceAuthorizationGrant(config, codes)
      return { token: access_token, scope }
    },
    errorOf,
  }
}

clientContract('openid-client', openidClient(client.None()))

clientContract(
  'openid-client with its id in a Basic header',
  openidClient((_server, { client_id }, _body, headers) =>
    headers.set('authorization', `Basic ${btoa(`${client_id}:`)}`),
  ),
)

refreshContract('openid-client', {
  library: client,
  async connect({ url, clientId }, authentication) {
    const config = await client.discovery(new URL(url), clientId, undefined, authentication, {
      algorithm: 'oauth2',
      execute: [client.allowInsecureRequests],
    })
    return {
      async refresh(refreshToken, scope) {
        const parameters = scope === undefined ? {} : { scope }
        const token = await client.refreshTokenGrant(config, refreshToken, parameters)
        const { access_token: accessToken, refresh_token, scope: granted = '' } = token
        return { accessToken, refreshToken: refresh_token, scope: granted }
      },
      revoke: (token) => client.tokenRevocation(config, token),
    }
  },
  errorOf,
})

function errorOf(failure: unknown): string {
  return (failure as client.ResponseBodyError).error
}
