import {
  createDeviceAuthorization,
  type DeviceView,
  github,
  type OAuthToken,
  viewOf,
  watchActor,
} from 'authgraph'

export interface LoginOptions {
  readonly clientId: string
  readonly onToken: (token: OAuthToken) => void
}

/**
 * Whether a login ended without a token, so that the user may start another
 * one.
 */
export function hasFailed({ activity, status }: DeviceView): boolean {
  return activity === undefined && status !== 'authorized'
}

/**
 * Starts a login. Returns a function that stops it.
 *
 * @param show Called immediately, at every change, and every second.
 */
export function startLogin(
  { clientId, onToken }: LoginOptions,
  show: (view: DeviceView) => void,
): () => void {
  const login = createDeviceAuthorization({
    clientId,
    provider: github({ authUrl: location.origin }),
  })

  const showNow = () => show(viewOf(login.getSnapshot(), Date.now()))
  const everySecond = setInterval(showNow, 1000)

  // Timers may be late after the device slept or the tab was hidden. Waits
  // are longer while there is no network.
  const ended = new AbortController()
  const wake = () => login.send({ type: 'wake' })
  const { signal } = ended
  document.addEventListener('visibilitychange', wake, { signal })
  window.addEventListener('online', wake, { signal })

  login.subscribe({
    complete: () => {
      clearInterval(everySecond)
      ended.abort()
      const { output } = login.getSnapshot()
      if (output?.status === 'authorized') onToken(output.token)
    },
  })
  watchActor(login, showNow)
  login.start()
  return () => login.stop()
}
