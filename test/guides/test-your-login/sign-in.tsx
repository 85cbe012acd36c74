import {
  createDeviceAuthorization,
  type DeviceAuthorizationActor,
  type DeviceAuthorizationOptions,
  type DeviceView,
  viewOf,
  watchActor,
} from 'authgraph'
import { useEffect, useState } from 'react'

/** A button that is replaced by a login when it is pressed. */
export function SignIn(options: DeviceAuthorizationOptions) {
  const [login, setLogin] = useState<DeviceAuthorizationActor>()
  const start = () => setLogin(createDeviceAuthorization(options).start())
  if (login)
    return <Login login={login} now={options.clock?.now ?? Date.now} />
  return (
    <button type="button" onClick={start}>
      Sign in
    </button>
  )
}

function Login({
  login,
  now,
}: {
  readonly login: DeviceAuthorizationActor
  readonly now: () => number
}) {
  const [view, setView] = useState<DeviceView>()
  useEffect(
    () => watchActor(login, (snapshot) => setView(viewOf(snapshot, now()))),
    [login, now],
  )
  if (!view) return null
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
      {view.activity && (
        <button type="button" onClick={() => login.send({ type: 'cancel' })}>
          Cancel
        </button>
      )}
    </>
  )
}
