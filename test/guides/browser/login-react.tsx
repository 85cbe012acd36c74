import type { DeviceView, OAuthToken } from 'authgraph'
import { useEffect, useEffectEvent, useState } from 'react'
import { hasFailed, startLogin } from './login.js'

interface LoginProps {
  readonly clientId: string
  readonly onToken: (token: OAuthToken) => void
}

/**
 * One login. It starts when it is mounted, and stops when it is unmounted.
 */
export function Login({
  clientId,
  onToken,
  onRetry,
}: LoginProps & { readonly onRetry: () => void }) {
  const [view, setView] = useState<DeviceView>()
  const keepToken = useEffectEvent(onToken)

  useEffect(
    () =>
      startLogin({
        clientId,
        show: setView,
        onToken: (token) => keepToken(token),
      }),
    [clientId],
  )

  return (
    <section>
      <p role="status">{view?.error?.message ?? view?.text}</p>
      {view?.userCode && (
        <p>
          <a href={view.verificationUriComplete ?? view.verificationUri}>
            {view.verificationUri}
          </a>{' '}
          <code>{view.userCode}</code>
        </p>
      )}
      {view?.secondsLeft !== undefined && (
        <p>{view.secondsLeft} seconds left</p>
      )}
      {view && hasFailed(view) && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </section>
  )
}

/**
 * Asks before each login, so that no code is requested that nobody enters.
 */
export function SignIn(props: LoginProps) {
  const [attempt, setAttempt] = useState(0)
  const tryNext = () => setAttempt(attempt + 1)
  if (attempt > 0) return <Login key={attempt} {...props} onRetry={tryNext} />
  return (
    <button type="button" onClick={tryNext}>
      Sign in
    </button>
  )
}
