/** A login in as few lines as the package allows. The address of the service is the first word. */
import { createOAuthDeviceAuth } from '@octokit/auth-oauth-device'
import { request } from '@octokit/request'

const auth = createOAuthDeviceAuth({
  clientType: 'oauth-app',
  clientId: 'id',
  request: request.defaults({ baseUrl: `${process.argv[2]}/api/v3` }),
  onVerification: ({ verification_uri, user_code }) =>
    process.stdout.write(`Open ${verification_uri} and enter the code ${user_code}\n`),
})
await auth({ type: 'oauth' })
