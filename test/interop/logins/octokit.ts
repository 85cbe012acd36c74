import { createOAuthDeviceAuth } from '@octokit/auth-oauth-device'
import { Octokit } from '@octokit/core'
import { retry } from '@octokit/plugin-retry'
import { request } from '@octokit/request'
import type { LogIn } from '../../../docs/break/race.ts'

const patient = new (Octokit.plugin(retry))().request

/** As in the README of `@octokit/auth-oauth-device`; with care, its requests are those of an Octokit with the retry plugin. */
export const logIn: LogIn = async ({ url, clientId, isCareful, onCode }) => {
  const auth = createOAuthDeviceAuth({
    clientType: 'oauth-app',
    clientId,
    onVerification: ({ user_code }) => onCode(user_code),
    request: (isCareful ? patient : request).defaults({ baseUrl: url }),
  })
  const { token } = await auth({ type: 'oauth' })
  return token
}
