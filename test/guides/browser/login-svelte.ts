import type { DeviceView } from 'authgraph'
import { readable } from 'svelte/store'
import { type LoginOptions, startLogin } from './login.js'

/** A login from the first subscriber until the last. */
export function loginStore(options: LoginOptions) {
  return readable<DeviceView | undefined>(undefined, (show) => {
    if (typeof document !== 'undefined') return startLogin(options, show)
  })
}
