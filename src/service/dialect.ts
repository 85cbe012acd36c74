import type { ScopeSeparator } from '../protocol/scopes.ts'

/**
 * Whose dialect a service has: those of the service of the specification, or RFC 8628 as written.
 *
 * @group Service
 */
export type Dialect = 'github' | 'rfc8628'

/** In what the two dialects differ. */
export interface DialectRules {
  readonly separator: ScopeSeparator
  /** The status of what a poll hears. No single one pleases every client. */
  readonly pollError: number
  /** What is said of a device code that is unknown, of another client, or used. */
  readonly unknownCode: string
  /** What is said of an unknown client, and the status of it where codes are asked for, and at a poll. */
  readonly unknownClient: { readonly error: string; readonly atCodes: number; readonly atPoll: number }
}

/**
 * Spec: not shown. `github` answers as the service does, 404 for an unknown client where codes are asked for; its
 * error is one that clients know. `rfc8628` follows RFC 6749, section 5.2.
 */
export const DIALECTS = {
  github: {
    separator: ',',
    pollError: 200,
    unknownCode: 'incorrect_device_code',
    unknownClient: { error: 'incorrect_client_credentials', atCodes: 404, atPoll: 200 },
  },
  rfc8628: {
    separator: ' ',
    pollError: 400,
    unknownCode: 'invalid_grant',
    unknownClient: { error: 'invalid_client', atCodes: 401, atPoll: 401 },
  },
} satisfies Record<Dialect, DialectRules>
