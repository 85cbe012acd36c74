/**
 * Sessions: log in, store the token, refresh it and log out, with any number of processes that share the login. Start
 * with {@link createSession}.
 *
 * @module authgraph/session
 */

export type { Revocation, SessionEvent } from '../../machines/session-context.ts'
export {
  BadOptionError,
  BusyError,
  CancelledError,
  DamagedRecordError,
  DeniedError,
  ExpiredError,
  LoginRequiredError,
  NotKeptError,
  StoreUnavailableError,
} from '../errors.ts'
export { memoryStore } from '../store/memory-store.ts'
export type { Store } from '../store/store.ts'
export {
  createSession,
  type Session,
  type SessionActor,
  type SessionOptions,
  type SessionSnapshot,
} from './create-session.ts'
export { sealed } from './sealed.ts'
export type { SessionData, SessionStore } from './session-store.ts'
export { type SessionView, viewOfSession } from './view-of-session.ts'
