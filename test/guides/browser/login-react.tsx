import type { DeviceView, OAuthToken } from 'authgraph'
import { useEffect, useEffectEvent, useState } from 'react'
import { startLogin } from './login.js'

interface LoginProps {
  readonly clientId: string
  readonly onToken: (token: OAuthToken) => void
}

/** One login. It starts when it is shown, and ends when it is no longer. */
export function Login({ clientId, onToken }: LoginProps) {
  const [view, setView] = useState<DeviceView>()
  const keepToken = useEffectEvent(onToken)

  useEffect(() => startLogin({ clientId, show: setView, onToken: (token) => keepToken(token) }), [clientId])

  return (
    <section>
      <p role="status">{view?.error?.message ?? view?.text}</p>
      {view?.userCode && (
        <p>
          <a href={view.verificationUriComplete ?? view.verificationUri}>{view.verificationUri}</a>{' '}
          <code>{view.userCode}</code>
        </p>
      )}
      {view?.secondsLeft !== undefined && <p>{view.secondsLeft} seconds left</p>}
    </section>
  )
}

/** Asks before it starts: a code that nobody wants would only expire. */
export function SignIn(props: LoginProps) {
  const [pressed, setPressed] = useState(false)
  if (pressed) return <Login {...props} />
  return (
    <button type="button" onClick={() => setPressed(true)}>
      Sign in
    </button>
  )
}
