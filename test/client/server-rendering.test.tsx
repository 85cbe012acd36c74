import { renderToString } from 'react-dom/server'
import { get } from 'svelte/store'
import { expect, test, vi } from 'vitest'
import { createSSRApp, h } from 'vue'
import { renderToString as renderVue } from 'vue/server-renderer'
import { SignIn } from '../guides/browser/login-react.tsx'
import { loginStore } from '../guides/browser/login-svelte.ts'
import { useLogin } from '../guides/browser/login-vue.ts'

test('what the browser guide shows renders on a server, sends nothing and sets no timer', async () => {
  const fetch = vi.fn<typeof globalThis.fetch>()
  vi.stubGlobal('fetch', fetch)
  const effects = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'setInterval'), fetch]
  const props = { clientId: 'id', onToken: () => undefined }
  expect(renderToString(<SignIn {...props} />)).toBe(
    '<section><p role="status"></p><button type="button">Sign in</button></section>',
  )
  const app = createSSRApp({
    setup() {
      // biome-ignore lint/correctness/useHookAtTopLevel: it is of Vue, not of React.
      const view = useLogin(props)
      return () => h('p', view.value?.text ?? 'Not yet.')
    },
  })
  expect(await renderVue(app)).toBe('<p>Not yet.</p>')
  expect(get(loginStore(props))).toBeUndefined()
  for (const effect of effects) expect(effect).not.toHaveBeenCalled()
  vi.unstubAllGlobals()
})
