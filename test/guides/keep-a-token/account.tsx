import { useSession } from 'authgraph/react'
import type { Session } from 'authgraph/session'

/**
 * Shows a session that was created outside of components, and continues when
 * this one unmounts.
 */
export function Account({ session }: { readonly session: Session }) {
  const { status, text, login, scopes, error } = useSession(session)
  const isLoggedIn = scopes && status !== 'expired'
  return (
    <section>
      <p role="status">{error?.message ?? login?.text ?? text}</p>
      {login?.userCode && (
        <p>
          <a href={login.verificationUriComplete ?? login.verificationUri}>
            {login.verificationUri}
          </a>{' '}
          <code>{login.userCode}</code>
        </p>
      )}
      <Act
        session={session}
        type={login ? 'cancel' : isLoggedIn ? 'logout' : 'login'}
      />
    </section>
  )
}

const LABELS = { login: 'Log in', cancel: 'Cancel', logout: 'Log out' }

function Act({
  session,
  type,
}: {
  readonly session: Session
  readonly type: keyof typeof LABELS
}) {
  return (
    <button type="button" onClick={() => session.actor.send({ type })}>
      {LABELS[type]}
    </button>
  )
}
