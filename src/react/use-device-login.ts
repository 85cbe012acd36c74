import { useCallback, useEffect, useState } from 'react'
import { createDeviceAuthorization } from '../client/create-device-authorization.ts'
import type { DeviceAuthorizationActor, DeviceAuthorizationOptions } from '../client/options.ts'
import { type DeviceView, viewOf } from '../client/view.ts'
import type { OAuthToken } from '../protocol/oauth-token.ts'
import { useRenderAfter, useSnapshot } from './use-snapshot.ts'

/** What {@link DeviceLogin.start} needs: the options of a login, and what to do with its token. */
export type StartLoginOptions = DeviceAuthorizationOptions & {
  /** Called once with the token. */
  readonly onToken: (token: OAuthToken) => void
}

/** A login that a component shows. */
export interface DeviceLogin {
  /** What to show; `undefined` until the first login has started. Updated at every change, and every second. */
  readonly view: DeviceView | undefined
  /** Whether a login is running: it has a code, or is requesting one. */
  readonly isRunning: boolean
  /**
   * Starts a login, instead of one that is running. Call it when the user asks for a login, such as in `onClick`.
   *
   * @throws A `BadOptionError` if an option is not valid.
   */
  readonly start: (options: StartLoginOptions) => void
  /** Ends the login that is running. */
  readonly cancel: () => void
}

interface Started {
  readonly actor: DeviceAuthorizationActor
  readonly onToken: (token: OAuthToken) => void
}

/**
 * Logs in with the device flow, and shows the login in a component. Nothing is sent until `start` is called, and the login
 * ends when the component unmounts or is hidden. When the tab is shown again, the login checks the clock, since timers may
 * have been suspended.
 *
 * @example
 * ```tsx
 * import { github } from 'authgraph'
 * import { useDeviceLogin } from 'authgraph/react'
 *
 * export function SignIn({ onToken }) {
 *   const { view, isRunning, start } = useDeviceLogin()
 *   const signIn = () =>
 *     start({
 *       clientId: 'YOUR_CLIENT_ID',
 *       provider: github({ authUrl: location.origin }),
 *       onToken,
 *     })
 *   return (
 *     <section>
 *       <p role="status">{view?.error?.message ?? view?.text}</p>
 *       <a href={view?.verificationUri}>{view?.verificationUri}</a>
 *       <code>{view?.userCode}</code>
 *       {!isRunning && <button onClick={signIn}>Sign in</button>}
 *     </section>
 *   )
 * }
 * ```
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html#section-3.3 RFC 8628, section 3.3}
 */
export function useDeviceLogin(): DeviceLogin {
  const [started, setStarted] = useState<Started>()
  const actor = started?.actor
  const start = useCallback(({ onToken, ...options }: StartLoginOptions) => {
    setStarted({ actor: createDeviceAuthorization(options), onToken })
  }, [])
  const cancel = useCallback(() => actor?.stop(), [actor])

  useEffect(() => {
    // A login that has ended stays so: a component that React hid and shows again requests no code that nobody asked for.
    if (started?.actor.getSnapshot().status !== 'active') return
    const { actor, onToken } = started
    const ended = new AbortController()
    const wake = () => actor.send({ type: 'wake' })
    const { signal } = ended
    document.addEventListener('visibilitychange', wake, { signal })
    window.addEventListener('online', wake, { signal })
    actor.subscribe({
      complete() {
        ended.abort()
        const { output } = actor.getSnapshot()
        if (output?.status === 'authorized') onToken(output.token)
      },
    })
    actor.start()
    return () => void actor.stop()
  }, [started])

  const snapshot = useSnapshot(actor)
  const isRunning = snapshot?.status === 'active'
  useRenderAfter(isRunning ? 1000 : undefined, actor?.clock)
  const view = snapshot && viewOf(snapshot, snapshot.context.flow.clock.now())
  return { view, isRunning, start, cancel }
}
