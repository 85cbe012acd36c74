import { useEffect, useRef } from 'react'
import { BadOptionError } from '../errors.ts'
import type { Session } from '../session/create-session.ts'
import { type SessionView, viewOfSession } from '../session/view-of-session.ts'
import { useRenderAfter, useSnapshot } from './use-snapshot.ts'

/**
 * Shows a session: its state, its scopes, and the codes during a login. The session lives outside of the component, which
 * neither starts nor stops it. Updated at every change, every second during a login, and when the login expires.
 *
 * @throws A `BadOptionError` if each of many renders had another session, since each of them would cause the next.
 * @example
 * ```tsx
 * import { useSession } from 'authgraph/react'
 * import { createSession, memoryStore } from 'authgraph/session'
 *
 * const session = createSession({
 *   clientId: 'YOUR_CLIENT_ID',
 *   store: memoryStore(),
 * })
 *
 * export function Account() {
 *   const { text, login, isUsable } = useSession(session)
 *   return (
 *     <section>
 *       <p role="status">{login?.text ?? text}</p>
 *       <code>{login?.userCode}</code>
 *       {isUsable && <button onClick={() => session.logout()}>Sign out</button>}
 *     </section>
 *   )
 * }
 * ```
 */
export function useSession({ actor }: Pick<Session, 'actor'>): SessionView {
  useOneOf(actor)
  const snapshot = useSnapshot(actor) ?? actor.getSnapshot()
  const now = snapshot.context.flow.device.clock.now()
  const view = viewOfSession(snapshot, now)
  const { login, isUsable, expiresAt } = view
  const untilExpired = isUsable && expiresAt !== undefined ? expiresAt - now : undefined
  useRenderAfter(login ? 1000 : untilExpired, actor.clock)
  return view
}

/** Renders in a row with another session each: more than a component has that switches between sessions. */
const MANY = 20

/** Ends a component that creates its session: the first snapshot of each one renders it again, which creates the next. */
function useOneOf(actor: Session['actor']): void {
  const last = useRef({ actor, changes: 0 })
  useEffect(() => {
    const { current } = last
    last.current = { actor, changes: current.actor === actor ? 0 : current.changes + 1 }
    if (last.current.changes < MANY) return
    throw new BadOptionError(
      'useSession was called with a new session at each render: create the session outside of the component',
    )
  })
}
