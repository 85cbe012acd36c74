import type { SessionContext } from '../../machines/session-context.ts'
import { endOf, isUsable, tokenInUse } from '../../machines/session-selectors.ts'
import { reasonOf } from '../client/authorize-device.ts'
import { type DeviceView, viewOf } from '../client/view.ts'
import { AuthgraphError, type ErrorCode } from '../errors.ts'
import type { SessionSnapshot } from './create-session.ts'

const EXPIRED = 'The login has expired. Log in again.'

/** What a user interface shows of a session: plain data without secrets. */
export interface SessionView {
  /** The state of the machine; `expired` if it is `signedIn` with a token that has expired and cannot be refreshed. */
  readonly status: SessionSnapshot['value'] | 'expired'
  /** One sentence for the user. */
  readonly text: string
  /** Whether there is a token that can be used now. */
  readonly isUsable: boolean
  /** The scopes of the token. */
  readonly scopes?: readonly string[]
  /** When the token expires, in epoch milliseconds by the local clock; absent if it does not expire. */
  readonly expiresAt?: number
  /** Whether the token is stored: a new one is not, while the store cannot be written. */
  readonly isStored: boolean
  /** The device authorization, during a login. */
  readonly login?: DeviceView
  /** The process that is refreshing the login. */
  readonly busy?: { readonly pid?: number | undefined }
  /** The last error of the store, of a refresh, or of a login. */
  readonly error?: { readonly code: ErrorCode; readonly message: string }
}

/**
 * Turns a snapshot of a session into plain data for a user interface.
 *
 * @example
 * ```ts
 * import { watchActor } from 'authgraph'
 * import {
 *   createSession,
 *   memoryStore,
 *   viewOfSession,
 * } from 'authgraph/session'
 *
 * const session = createSession({
 *   clientId: 'YOUR_CLIENT_ID',
 *   store: memoryStore(),
 * })
 * watchActor(session.actor, (snapshot) => {
 *   show(viewOfSession(snapshot, Date.now()))
 * })
 * ```
 *
 * @param now The current time in epoch milliseconds.
 */
export function viewOfSession(snapshot: SessionSnapshot, now: number): SessionView {
  const { context, value } = snapshot
  const { token } = tokenInUse(context) ?? {}
  const expiresAt = endOf(context)
  const isExpired = value === 'signedIn' && token?.refreshToken === undefined && now >= expiresAt
  const error = context.error ?? errorOf(context.outcome)
  return {
    status: isExpired ? 'expired' : value,
    text: isExpired ? EXPIRED : (Object.values(snapshot.getMeta()).at(-1)?.text ?? ''),
    isUsable: isUsable(context, now),
    isStored: context.kept !== undefined && context.result === undefined,
    ...(token && { scopes: token.scopes }),
    ...(Number.isFinite(expiresAt) && { expiresAt }),
    ...(context.authorization && { login: viewOf(context.authorization, now) }),
    ...(context.busy && { busy: { pid: context.busy.pid } }),
    ...(error instanceof AuthgraphError && { error: { code: error.code, message: error.message } }),
  }
}

function errorOf(outcome: SessionContext['outcome']): Error | undefined {
  const isError = outcome && outcome.status !== 'authorized' && outcome.status !== 'cancelled'
  return isError ? reasonOf(outcome) : undefined
}
