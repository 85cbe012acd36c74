/** Asks for codes with one of the packages, and prints the milliseconds of CPU since the process began. */
const response = async () =>
  Response.json({
    device_code: '3584d83530557fdd1f46af8289938c8ef79f9dc5',
    user_code: 'WDJB-MJHT',
    verification_uri: 'https://github.com/login/device',
    expires_in: 900,
    interval: 5,
  })
const shown = () => {
  const { user, system } = process.cpuUsage()
  process.stdout.write(String((user + system) / 1000))
  process.exit()
}

const kinds = {
  'bare Node': async () => shown(),
  authgraph: async () => {
    const { createDeviceAuthorization } = await import('../../dist/src/index.js')
    createDeviceAuthorization({ clientId: 'id', fetch: response, onCodes: shown }).start()
  },
  'authgraph, the import alone': async () => {
    await import('../../dist/src/index.js')
    shown()
  },
  '@octokit/auth-oauth-device, the import alone': async () => {
    await Promise.all([import('@octokit/auth-oauth-device'), import('@octokit/request')])
    shown()
  },
  '@octokit/auth-oauth-device': async () => {
    const { createOAuthDeviceAuth } = await import('@octokit/auth-oauth-device')
    const { request } = await import('@octokit/request')
    const options = { clientType: 'oauth-app', clientId: 'id', onVerification: shown }
    await createOAuthDeviceAuth({ ...options, request: request.defaults({ request: { fetch: response } }) })({
      type: 'oauth',
    })
  },
}

await kinds[process.argv[2]]()
