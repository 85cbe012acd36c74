import { useActorRef, useSelector } from '@xstate/react'
import { renderToString } from 'react-dom/server'
import { get } from 'svelte/store'
import { expect, test, vi } from 'vitest'
import { createSSRApp, h } from 'vue'
import { renderToString as renderVue } from 'vue/server-renderer'
import { viewOf } from '../../src/index.ts'
import { deviceInput, deviceMachine } from '../../src/machines.ts'
import { SignIn } from '../guides/browser/login-react.tsx'
import { loginStore } from '../guides/browser/login-svelte.ts'
import { useLogin } from '../guides/browser/login-vue.ts'

const fetch = vi.fn<typeof globalThis.fetch>()
const clock = { now: vi.fn(() => 0), setTimeout: vi.fn(), clearTimeout: vi.fn() }
const options = { clientId: 'id', fetch, clock }

async function expectNothingDone(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
  expect(fetch).not.toHaveBeenCalled()
  expect(clock.setTimeout).not.toHaveBeenCalled()
}

test('rendering useActorRef on a server starts nothing', async () => {
  function Shown() {
    const login = useActorRef(deviceMachine, { input: deviceInput(options), clock })
    return <p>{useSelector(login, (snapshot) => viewOf(snapshot, 0).text)}</p>
  }

  expect(renderToString(<Shown />)).toBe('<p>Requesting a code.</p>')
  await expectNothingDone()
})

test('what the browser guide shows renders on a server, sends nothing and sets no timer', async () => {
  vi.stubGlobal('fetch', fetch)
  const timers = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'setInterval')]
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
  for (const timer of timers) expect(timer).not.toHaveBeenCalled()
  await expectNothingDone()
  vi.unstubAllGlobals()
})
