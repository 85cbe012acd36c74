import type { ScopeSeparator } from '../../protocol/syntax.ts'

/** How a service speaks: like GitHub (`github`), or exactly as RFC 8628 is written (`rfc8628`). */
export type Dialect = 'github' | 'rfc8628'

/** How the two dialects differ. */
export interface DialectRules {
  readonly separator: ScopeSeparator
  /** The status of an error at the token endpoint. No single status suits every client. */
  readonly pollError: 200 | 400
  /** The error code for a device code that is unknown, used, or belongs to another client. */
  readonly unknownCode: string
  /** The error code for a refresh token that is unknown, spent, revoked, expired, or belongs to another client. */
  readonly badRefreshToken: string
  /** Whether a client that has a secret must send it to log in. It must to refresh or revoke, in both dialects. */
  readonly secretToLogIn: boolean
  /** Whether token responses contain `refresh_token_expires_in`. */
  readonly tellsRefreshLifetime: boolean
  /** The error code for an unknown client, and its status at the device code request and at a poll. */
  readonly unknownClient: { readonly error: string; readonly atCodes: number; readonly atPoll: number }
}

/**
 * `github` responds to an unknown client as GitHub does: 404 at the device code request, with an error code that clients
 * know. `rfc8628` follows RFC 6749, section 5.2.
 */
export const DIALECTS = {
  github: {
    separator: ',',
    pollError: 200,
    unknownCode: 'incorrect_device_code',
    badRefreshToken: 'bad_refresh_token',
    secretToLogIn: false,
    tellsRefreshLifetime: true,
    unknownClient: { error: 'incorrect_client_credentials', atCodes: 404, atPoll: 200 },
  },
  rfc8628: {
    separator: ' ',
    pollError: 400,
    unknownCode: 'invalid_grant',
    badRefreshToken: 'invalid_grant',
    secretToLogIn: true,
    tellsRefreshLifetime: false,
    unknownClient: { error: 'invalid_client', atCodes: 401, atPoll: 401 },
  },
} satisfies Record<Dialect, DialectRules>
