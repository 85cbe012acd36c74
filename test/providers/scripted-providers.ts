import { createHash } from 'node:crypto'
import type { DeviceAuthorizationOptions } from '../../src/index.ts'
import { type KnownProvider, knownProvider } from '../../src/providers/index.ts'

/** What the user does at the provider. */
export type Decision = 'approves' | 'denies' | 'does nothing'

/** How a provider speaks by its documentation, where that is not as RFC 8628 says. */
export interface ScriptedProvider {
  readonly name: KnownProvider
  readonly provider: ReturnType<typeof knownProvider>
  /** What the client must be told besides its id. */
  readonly options?: Partial<DeviceAuthorizationOptions & { readonly resume?: undefined }>
  /** Further fields of the request for codes, and of a poll. */
  readonly fields?: { readonly codes?: readonly string[]; readonly poll?: readonly string[] }
  /** Other members of the response with the codes. */
  readonly codes?: object
  readonly denied?: Response
  readonly pending?: Response
  /** The response to a device code that it does not know. */
  readonly unknown?: Response
  /** The response to a poll without one of its fields. */
  readonly incomplete?: Response
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
  const missing = documented.find((name) => !fields.get(name))
  if (missing !== undefined)
    return refused('invalid_request', 400, { error_description: `Missing parameter: ${missing}` })
  return [...fields.keys()].every((name) => documented.includes(name))
    ? undefined
    : refused('invalid_request')
}

/** A server that speaks as a provider does. */
export function serverOf({ fields = {}, ...spoken }: ScriptedProvider) {
  const { denied = refused('access_denied'), pending = refused('authorization_pending') } = spoken
  const { unknown = refused('invalid_grant'), incomplete } = spoken
  let challenge: string | null = null
  return {
    codes(request: URLSearchParams): Response {
      challenge = request.get('code_challenge')
      // RFC 8628, section 3.1: servers ignore what they do not know. The secret is documented for polls only.
      request.delete('client_secret')
      const wrong = unless(request, ['client_id', 'scope', ...(fields.codes ?? [])])
      return wrong ?? Response.json({ ...codes, ...spoken.codes })
    },
    poll(request: URLSearchParams, decision: Decision): Response {
      const wrong = unless(request, ['client_id', 'device_code', 'grant_type', ...(fields.poll ?? [])])
      if (wrong) return incomplete ?? wrong
      if (request.get('grant_type') !== DEVICE_GRANT) return refused('unsupported_grant_type')
      if (request.get('device_code') !== codes.device_code) return unknown
      if (challenge !== null && challenge !== hashOf(request.get('code_verifier') ?? '')) return unknown
      return { approves: Response.json(token), denies: denied, 'does nothing': pending }[decision].clone()
    },
  }
}

function hashOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

export const scriptedProviders: readonly ScriptedProvider[] = [
  {
    // A client with "Proof Key for Code Exchange Code Challenge Method" S256:
    // https://github.com/keycloak/keycloak/issues/9710
    name: 'keycloak',
    provider: knownProvider('keycloak', { host: 'id.example.com', realm: 'staff' }),
    options: { pkce: true },
    fields: { codes: ['code_challenge_method', 'code_challenge'], poll: ['code_verifier'] },
  },
  {
    // https://learn.microsoft.com/entra/identity-platform/v2-oauth2-device-code#expected-errors
    name: 'entra',
    provider: knownProvider('entra', { tenant: 'organizations' }),
    codes: { message: 'To sign in, use a web browser.' },
    denied: refused('authorization_declined'),
    pending: refused('authorization_pending', 400, {
      error_description: 'AADSTS70016: OAuth 2.0 device flow error. Authorization is pending.',
      error_codes: [70_016],
    }),
    unknown: refused('bad_verification_code'),
  },
  {
    // https://developer.okta.com/docs/guides/device-authorization-grant/main
    name: 'okta',
    provider: knownProvider('okta', { host: 'example.okta.com', server: 'default' }),
  },
  {
    // https://auth0.com/docs/get-started/authentication-and-authorization-flow/device-authorization-flow/call-your-api-using-the-device-authorization-flow
    name: 'auth0',
    provider: knownProvider('auth0', { host: 'example.eu.auth0.com' }),
    options: { audience: 'https://api.example.com/' },
    fields: { codes: ['audience'] },
    denied: refused('access_denied', 403),
    pending: refused('authorization_pending', 403),
  },
  {
    // https://developers.google.com/identity/protocols/oauth2/limited-input-device
    name: 'google',
    provider: knownProvider('google', {}),
    options: { clientAuthentication: { method: 'client_secret_post', clientSecret: 'the-client-secret' } },
    fields: { poll: ['client_secret'] },
    codes: { verification_uri: undefined, verification_url: 'https://www.google.com/device' },
    denied: refused('access_denied', 403),
    pending: refused('authorization_pending', 428),
    incomplete: refused('invalid_client', 401),
  },
  {
    // https://docs.gitlab.com/api/oauth2
    name: 'gitlab',
    provider: knownProvider('gitlab', { host: 'gitlab.com' }),
    codes: { verification_uri_complete: `${codes.verification_uri}?user_code=WDJB-MJHT` },
  },
]
