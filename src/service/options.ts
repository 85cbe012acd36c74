import type { User } from '../../machines/device-grant.ts'
import type { Secret } from '../secret.ts'
import type { App } from './app-tokens.ts'
import type { ServiceRequest } from './http.ts'
import type { Page } from './pages/page.ts'
import type { PasswordUser } from './passwords.ts'
import type { PersonalAccessToken } from './personal-tokens.ts'
import type { Store } from './store.ts'

/**
 * A client that may ask for codes.
 *
 * @group Service
 */
export interface Client {
  readonly clientId: string | Secret
  /** What the user is shown. */
  readonly name: string
}

/**
 * Who sits at the browser, or where they sign in first.
 *
 * @group Service
 */
export type Identity = { readonly user: User } | { readonly signInAt: string }

/**
 * What `createService` takes. Only the clients have no default.
 *
 * @group Service
 */
export interface ServiceOptions {
  readonly clients: readonly Client[]
  /** Who may use the API with a user name and a password. */
  readonly users?: readonly PasswordUser[]
  /** Who may use the API with a personal access token. */
  readonly personalTokens?: readonly PersonalAccessToken[]
  /** Which applications may use the API with a token that they signed. */
  readonly apps?: readonly App[]
  /** The address of the login paths, as clients and people see it: where `listen` bound by default. */
  readonly authUrl?: string
  /** The address of the API: where `listen` bound by default. */
  readonly baseUrl?: string
  /** Whose habits to follow: status 200 for poll errors and commas between scopes, or 400 and spaces. */
  readonly profile?: 'github' | 'rfc8628'
  /** Seconds between two polls: 5 by default. */
  readonly interval?: number
  /** Seconds the codes live: 900 by default. */
  readonly expiresIn?: number
  /** Seconds by which a poll may come early: a fifth of the interval and at most one by default; 0 is strict. */
  readonly leeway?: number
  /** Whether the first poll may come at once (the default), or one interval after the codes were issued. */
  readonly firstPoll?: 'free' | 'counted'
  /** {@link memoryStore} by default. */
  readonly store?: Store
  /** Writes the verification page. */
  readonly page?: Page
  /** Says who is at the browser. For development there is a default: one user, always signed in. */
  readonly identify?: (request: ServiceRequest) => Identity | Promise<Identity>
  /** Makes the token. Where it fails, the approval is kept, and the next poll tries again. */
  readonly issueToken?: (grant: {
    readonly user: User
    readonly client: { readonly clientId: Secret; readonly name: string }
    readonly scopes: readonly string[]
  }) => string | Secret | Promise<string | Secret>
  /** Hears of what went wrong inside; clients are not told. */
  readonly onError?: (error: unknown) => void
  /** Tells the time, epoch milliseconds. */
  readonly clock?: { now(): number }
}
