import type { DeviceView } from 'authgraph'
import { onMounted, onUnmounted, shallowRef } from 'vue'
import { type LoginOptions, startLogin } from './login.js'

/** A login from when the component is mounted until it is unmounted. */
export function useLogin(options: LoginOptions) {
  const view = shallowRef<DeviceView>()
  let stop = () => {}
  onMounted(() => {
    stop = startLogin(options, (next) => {
      view.value = next
    })
  })
  onUnmounted(() => stop())
  return view
}
