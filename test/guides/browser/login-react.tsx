import { github, type OAuthToken } from 'authgraph'
import { useDeviceLogin } from 'authgraph/react'

interface SignInProps {
  readonly clientId: string
  readonly onToken: (token: OAuthToken) => void
}

export function SignIn({ clientId, onToken }: SignInProps) {
  const { view, isRunning, start } = useDeviceLogin()
  const signIn = () => {
    const provider = github({ authUrl: location.origin })
    start({ clientId, provider, onToken })
  }

  return (
    <section>
      <p role="status">{view?.error?.message ?? view?.text}</p>
      {view?.userCode && (
        <p>
          <a href={view.verificationUriComplete ?? view.verificationUri}>
            {view.verificationUri}
          </a>{' '}
          <code>{view.userCode}</code>, {view.secondsLeft} seconds left
        </p>
      )}
      {!isRunning && view?.status !== 'authorized' && (
        <button type="button" onClick={signIn}>
          Sign in
        </button>
      )}
    </section>
  )
}
