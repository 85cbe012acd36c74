// @vitest-environment jsdom
import { useActorRef, useSelector } from '@xstate/vue'
import { expect, test } from 'vitest'
import { createApp, h, nextTick, ref, shallowRef } from 'vue'
import { Secret, viewOf } from '../../src/index.ts'
import { deviceInput, deviceMachine } from '../../src/machines.ts'
import { responses } from '../support/responses.ts'
import { scripted } from '../support/scripted-service.ts'

const { codes, pending, token } = responses

/** Mounts a component whose text is made by `setup`. */
function mount(setup: () => () => string) {
  const element = document.createElement('div')
  const app = createApp({
    setup() {
      const text = setup()
      return () => h('p', text())
    },
  })
  app.mount(element)
  return { element, unmount: () => app.unmount() }
}

test('useActorRef starts when it is mounted, asks for one code, and ends when it is unmounted', async () => {
  const { time, sent, options } = scripted(codes, pending, token)
  const { element, unmount } = mount(() => {
    const login = useActorRef(deviceMachine, { input: deviceInput(options), clock: options.clock })
    const view = useSelector(login, (snapshot) => viewOf(snapshot, 0))
    return () => view.value.text
  })
  await time.settle()
  await nextTick()
  expect(element.textContent).toBe('Enter the code at the address shown.')
  expect(sent).toHaveLength(1)
  unmount()
  await time.advance(60_000)
  expect(sent).toHaveLength(1)
  expect(time.timers).toBe(0)
})

test('a secret can be read in a shallowRef, and not in a ref, which wraps it in a proxy', () => {
  const secret = new Secret('value')
  expect(shallowRef({ secret }).value.secret.reveal()).toBe('value')
  expect(() => ref({ secret }).value.secret.reveal()).toThrow(TypeError)
})
