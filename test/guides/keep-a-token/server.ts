import {
  createSession,
  type Revocation,
  type Session,
  type SessionOptions,
} from 'authgraph/session'

/**
 * The sessions of a server: one for each user, created when it is first
 * needed.
 */
export class Sessions {
  readonly #options: SessionOptions
  readonly #sessions = new Map<string, Session>()

  /**
   * @param options Shared by all sessions. With `redisStore()`, all instances
   * of the server share the logins.
   */
  constructor(options: SessionOptions) {
    this.#options = options
  }

  of(userId: string): Session {
    const known = this.#sessions.get(userId)
    if (known) return known
    const session = createSession({
      ...this.#options,
      name: `session:${userId}`,
    })
    this.#sessions.set(userId, session)
    return session
  }

  async end(userId: string): Promise<Revocation> {
    const session = this.of(userId)
    const revocation = await session.logout()
    this.#sessions.delete(userId)
    session.actor.stop()
    return revocation
  }
}
