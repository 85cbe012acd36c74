import { type StartLoginOptions, useDeviceLogin } from 'authgraph/react'

/** A button that is replaced by a login when it is pressed. */
export function SignIn(options: StartLoginOptions) {
  const { view, isRunning, start, cancel } = useDeviceLogin()
  if (!view)
    return (
      <button type="button" onClick={() => start(options)}>
        Sign in
      </button>
    )
  return (
    <>
      <p role="status">{view.text}</p>
      {view.error && <p role="alert">{view.error.message}</p>}
      {view.activity === 'waiting' && (
        <p>
          Enter <code>{view.userCode}</code> at{' '}
          <a href={view.verificationUriComplete ?? view.verificationUri}>
            {view.verificationUri}
          </a>
        </p>
      )}
      {isRunning && (
        <button type="button" onClick={cancel}>
          Cancel
        </button>
      )}
    </>
  )
}
