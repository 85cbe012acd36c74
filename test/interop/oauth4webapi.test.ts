import * as oauth from 'oauth4webapi'
import { clientContract, wait } from './client-contract.ts'

/** Has requests and parsers; the caller waits. It does not accept an error with status 200. */
clientContract('oauth4webapi', {
  dialects: ['rfc8628'],
  async login({ url, clientId, scopes, fetch, onUserCode }) {
    const options = {
      [oauth.customFetch]: (address: string, init: object) => fetch(address, init),
      [oauth.allowInsecureRequests]: true,
    } as const
    const issuer = new URL(url)
    const server = await oauth
      .discoveryRequest(issuer, { algorithm: 'oauth2', ...options })
      .then((response) => oauth.processDiscoveryResponse(issuer, response))
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
  errorOf: (failure) => (failure as oauth.ResponseBodyError).error,
})
