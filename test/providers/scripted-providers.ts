import { createHash } from 'node:crypto'
import type { DeviceAuthorizationOptions } from '../../src/index.ts'
import { type KnownProvider, knownProvider } from '../../src/providers/index.ts'

/** What the user does at the provider. */
export type Decision = 'approves' | 'denies' | 'does nothing'

/** A provider that speaks as its documentation says, and refuses requests that are not as documented. */
export interface ScriptedProvider {
  readonly name: KnownProvider
  readonly provider: ReturnType<typeof knownProvider>
  /** What the client must be told besides its id. */
  readonly options: Partial<DeviceAuthorizationOptions & { readonly resume?: undefined }>
  /** The response to the request for codes. */
  codes(fields: URLSearchParams): Response
  /** The response to a poll, until which the user has decided or not. */
  poll(fields: URLSearchParams, decision: Decision): Response
}

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

const codes = {
  device_code: 'the-device-code',
  user_code: 'WDJB-MJHT',
  verification_uri: 'https://login.example/device',
  expires_in: 900,
  interval: 5,
}

const token = { access_token: 'the-access-token', token_type: 'Bearer', scope: 'openid', expires_in: 3600 }

function refused(error: string, status = 400, more: object = {}): Response {
  return Response.json({ error, error_description: 'For developers.', ...more }, { status })
}

/** Refuses a request that lacks a field, or has one that is not documented. */
function unless(fields: URLSearchParams, documented: readonly string[]): Response | undefined {
  const names = [...fields.keys()]
  const isDocumented =
    documented.every((name) => fields.get(name)) && names.every((name) => documented.includes(name))
  return isDocumented ? undefined : refused('invalid_request')
}

const POLL = ['client_id', 'device_code', 'grant_type']

function pollOf(
  fields: URLSearchParams,
  decision: Decision,
  { documented = POLL, denied = refused('access_denied'), pending = refused('authorization_pending') } = {},
): Response {
  const wrong = unless(fields, documented)
  if (wrong) return wrong
  if (fields.get('grant_type') !== DEVICE_GRANT) return refused('unsupported_grant_type')
  if (fields.get('device_code') !== codes.device_code) return refused('invalid_grant')
  return { approves: Response.json(token), denies: denied, 'does nothing': pending }[decision]
}

/** The PKCE challenge of the last request for codes at Keycloak. */
let challenge: string | null = null

export const scriptedProviders: readonly ScriptedProvider[] = [
  {
    // A client with "Proof Key for Code Exchange Code Challenge Method" S256:
    // https://github.com/keycloak/keycloak/issues/9710
    name: 'keycloak',
    provider: knownProvider('keycloak', { host: 'id.example.com', realm: 'staff' }),
    options: { pkce: true },
    codes(fields) {
      challenge = fields.get('code_challenge')
      if (fields.get('code_challenge_method') !== 'S256')
        return refused('invalid_request', 400, {
          error_description: 'Missing parameter: code_challenge_method',
        })
      const wrong = unless(fields, ['client_id', 'scope', 'code_challenge', 'code_challenge_method'])
      return wrong ?? Response.json(codes)
    },
    poll(fields, decision) {
      const verifier = fields.get('code_verifier') ?? ''
      if (createHash('sha256').update(verifier).digest('base64url') !== challenge)
        return refused('invalid_grant')
      return pollOf(fields, decision, { documented: [...POLL, 'code_verifier'] })
    },
  },
  {
    // https://learn.microsoft.com/entra/identity-platform/v2-oauth2-device-code#expected-errors
    name: 'entra',
    provider: knownProvider('entra', { tenant: 'organizations' }),
    options: {},
    codes: (fields) =>
      unless(fields, ['client_id', 'scope']) ??
      Response.json({ ...codes, message: 'To sign in, use a web browser.' }),
    poll(fields, decision) {
      if (fields.get('device_code') !== codes.device_code) return refused('bad_verification_code')
      const pending = refused('authorization_pending', 400, {
        error_description: 'AADSTS70016: OAuth 2.0 device flow error. Authorization is pending.',
        error_codes: [70_016],
      })
      return pollOf(fields, decision, { denied: refused('authorization_declined'), pending })
    },
  },
  {
    // https://developer.okta.com/docs/guides/device-authorization-grant/main
    name: 'okta',
    provider: knownProvider('okta', { host: 'example.okta.com', server: 'default' }),
    options: {},
    codes: (fields) => unless(fields, ['client_id', 'scope']) ?? Response.json(codes),
    poll: (fields, decision) => pollOf(fields, decision),
  },
  {
    // https://auth0.com/docs/get-started/authentication-and-authorization-flow/device-authorization-flow/call-your-api-using-the-device-authorization-flow
    name: 'auth0',
    provider: knownProvider('auth0', { host: 'example.eu.auth0.com' }),
    options: { audience: 'https://api.example.com/' },
    codes: (fields) => unless(fields, ['client_id', 'scope', 'audience']) ?? Response.json(codes),
    poll: (fields, decision) =>
      pollOf(fields, decision, {
        denied: refused('access_denied', 403),
        pending: refused('authorization_pending', 403),
      }),
  },
  {
    // https://developers.google.com/identity/protocols/oauth2/limited-input-device
    name: 'google',
    provider: knownProvider('google', {}),
    options: { clientAuthentication: { method: 'client_secret_post', clientSecret: 'the-client-secret' } },
    codes(fields) {
      const { verification_uri, ...others } = codes
      // Documented for the token request only: RFC 8628, section 3.1, has servers ignore what they do not know.
      fields.delete('client_secret')
      const wrong = unless(fields, ['client_id', 'scope'])
      return wrong ?? Response.json({ ...others, verification_url: 'https://www.google.com/device' })
    },
    poll(fields, decision) {
      if (fields.get('client_secret') !== 'the-client-secret') return refused('invalid_client', 401)
      return pollOf(fields, decision, {
        documented: [...POLL, 'client_secret'],
        denied: refused('access_denied', 403),
        pending: refused('authorization_pending', 428),
      })
    },
  },
  {
    // https://docs.gitlab.com/api/oauth2
    name: 'gitlab',
    provider: knownProvider('gitlab', { host: 'gitlab.com' }),
    options: {},
    codes: (fields) =>
      unless(fields, ['client_id', 'scope']) ??
      Response.json({ ...codes, verification_uri_complete: `${codes.verification_uri}?user_code=WDJB-MJHT` }),
    poll: (fields, decision) => pollOf(fields, decision),
  },
]
