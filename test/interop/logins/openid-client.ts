import * as client from 'openid-client'
import type { LogIn } from '../../../docs/break/race.ts'

/** As in the README of `openid-client`; with care, in a loop, and with its response saved for the next process. */
export const logIn: LogIn = async ({ url, clientId, isCareful, saved, save, onCode }) => {
  const config = await client.discovery(new URL(url), clientId, undefined, client.None(), {
    algorithm: 'oauth2',
    execute: [client.allowInsecureRequests],
  })
  const codes = saved ? JSON.parse(saved) : await client.initiateDeviceAuthorization(config, {})
  onCode(codes.user_code)
  save(JSON.stringify(codes))
  for (;;) {
    try {
      const { access_token } = await client.pollDeviceAuthorizationGrant(config, codes)
      return access_token
    } catch (error) {
      if (!isCareful || error instanceof client.ResponseBodyError) throw error
    }
  }
}
