/**
 * The servers of the scenarios issue codes by redirects only. This makes a device endpoint of that: a request for codes becomes
 * one to the authorization endpoint, whose user approves at once, and a poll exchanges the code.
 */
import { createHash, randomBytes } from 'node:crypto'

const REDIRECT = 'http://127.0.0.1:1/callback'
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** A `fetch` for servers that know the code flow only. */
export function withDeviceGrant() {
  const issuers = new Map()
  const verifier = randomBytes(32).toString('base64url')

  return async (input, init = {}) => {
    const url = input instanceof Request ? input.url : String(input)
    const issuer = issuers.get(url)
    if (issuer) return askForCodes(issuer, new URLSearchParams(String(init.body)))
    const fields = typeof init.body === 'string' ? new URLSearchParams(init.body) : undefined
    if (fields?.get('grant_type') === DEVICE_GRANT) {
      const code = fields.get('device_code') ?? ''
      fields.delete('device_code')
      for (const [name, value] of Object.entries({
        grant_type: 'authorization_code',
        code,
        redirect_uri: REDIRECT,
        code_verifier: verifier,
      }))
        fields.set(name, value)
      return fetch(url, { ...init, body: fields.toString() })
    }
    if (typeof init.body === 'string' && init.body.includes('"redirect_uris"')) {
      const body = { ...JSON.parse(init.body), redirect_uris: [REDIRECT], response_types: ['code'] }
      body.grant_types = ['authorization_code', 'refresh_token']
      return fetch(url, { ...init, body: JSON.stringify(body) })
    }
    const response = await fetch(input, init)
    if (!/oauth-authorization-server|openid-configuration/.test(url) || !response.ok) return response
    const metadata = await response.json()
    const device_authorization_endpoint = `${new URL(metadata.token_endpoint).origin}/device`
    issuers.set(device_authorization_endpoint, metadata)
    return Response.json({ ...metadata, device_authorization_endpoint })
  }

  async function askForCodes({ authorization_endpoint }, fields) {
    const address = new URL(authorization_endpoint)
    const parameters = {
      response_type: 'code',
      redirect_uri: REDIRECT,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...Object.fromEntries(fields),
    }
    for (const [name, value] of Object.entries(parameters)) if (value) address.searchParams.set(name, value)
    const { headers } = await fetch(address, { redirect: 'manual' })
    const code = new URL(headers.get('location') ?? '').searchParams.get('code')
    return Response.json({
      device_code: code,
      user_code: 'ABCD-EFGH',
      verification_uri: address.origin,
      expires_in: 60,
      interval: 1,
    })
  }
}
