import type { DeviceView, OAuthToken } from 'authgraph'
import { onMounted, onUnmounted, type ShallowRef, shallowRef } from 'vue'
import { startLogin } from './login.js'

/**
 * One login. It starts when the component is mounted, and stops when it is
 * unmounted.
 */
export function useLogin(
  clientId: string,
  onToken: (token: OAuthToken) => void,
): ShallowRef<DeviceView | undefined> {
  const view = shallowRef<DeviceView>()
  let stop: (() => void) | undefined
  onMounted(() => {
    const show = (next: DeviceView) => {
      view.value = next
    }
    stop = startLogin({ clientId, show, onToken })
  })
  onUnmounted(() => stop?.())
  return view
}
