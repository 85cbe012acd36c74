import type { Session } from '../session/create-session.ts'
import { type SessionView, viewOfSession } from '../session/view-of-session.ts'
import { useRenderAfter, useSnapshot } from './use-snapshot.ts'

/**
 * Shows a session: its state, its scopes, and the codes during a login. The session lives outside of the component, which
 * neither starts nor stops it. Updated at every change, every second during a login, and when the login expires.
 *
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
  const snapshot = useSnapshot(actor) ?? actor.getSnapshot()
  const now = snapshot.context.flow.device.clock.now()
  const view = viewOfSession(snapshot, now)
  const { login, isUsable, expiresAt } = view
  const untilExpired = isUsable && expiresAt !== undefined ? expiresAt - now : undefined
  useRenderAfter(login ? 1000 : untilExpired, actor.clock)
  return view
}
