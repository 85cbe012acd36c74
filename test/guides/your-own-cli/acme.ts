import { loginCommands, rfc8628 } from 'authgraph/terminal'

const url = process.env.ACME_URL ?? 'https://api.acme.example'
const provider = rfc8628({
  deviceAuthorizationEndpoint: `${url}/login/device/code`,
  tokenEndpoint: `${url}/login/oauth/access_token`,
  revocationEndpoint: `${url}/login/oauth/revoke`,
  baseUrl: url,
})
const acme = loginCommands({ name: 'acme', clientId: 'acme-cli', provider })
process.exitCode = await acme.run(process.argv.slice(2))
