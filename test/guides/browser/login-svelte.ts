import type { DeviceView, OAuthToken } from 'authgraph'
import { type Readable, readable } from 'svelte/store'
import { startLogin } from './login.js'

/**
 * One login. It starts with the first subscriber, and stops with the last.
 */
export function loginStore(
  clientId: string,
  onToken: (token: OAuthToken) => void,
): Readable<DeviceView | undefined> {
  return readable<DeviceView | undefined>(undefined, (show) => {
    if (typeof document === 'undefined') return
    return startLogin({ clientId, show, onToken })
  })
}
