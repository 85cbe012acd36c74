// @vitest-environment jsdom
import { useSelector as selectInVue } from '@xstate/vue'
import { StrictMode, useEffect, useState } from 'react'
import { derived, type Readable, readable } from 'svelte/store'
import { expect, test } from 'vitest'
import { createApp, h, nextTick, onMounted, onUnmounted, ref } from 'vue'
import { watchActor } from '../../src/index.ts'
import { useSession } from '../../src/react/index.ts'
import { type Session, type SessionSnapshot, viewOfSession } from '../../src/session/index.ts'
import { render } from '../support/render.ts'
import { world } from './support/world.ts'

/** A component on a page. It shows the state of a session that lives outside, and the token that it asks for. */
interface Shown {
  text(): string | null
  /** Runs an action, and lets the framework show the result. */
  while(action: () => Promise<unknown>): Promise<void>
  unmount(): unknown
}

const statusOf = (snapshot: SessionSnapshot) => viewOfSession(snapshot, 0).status

/** Asks for a token until the returned function is called. */
function ask(session: Session, show: (token: string) => void): () => void {
  const controller = new AbortController()
  session.token({ signal: controller.signal }).then(
    (token) => show(token.reveal()),
    () => undefined,
  )
  return () => controller.abort()
}

async function inReact(session: Session): Promise<Shown> {
  function Account() {
    const { status } = useSession(session)
    const [token, setToken] = useState('')
    useEffect(() => ask(session, setToken), [])
    return `${status} ${token}`
  }
  const { element, ...shown } = await render(
    <StrictMode>
      <Account />
    </StrictMode>,
    () => undefined,
  )
  return { ...shown, text: () => element.textContent }
}

async function inVue(session: Session): Promise<Shown> {
  const element = document.createElement('div')
  const app = createApp({
    setup() {
      const status = selectInVue(session.actor, statusOf)
      const token = ref('')
      let stop: (() => void) | undefined
      onMounted(() => {
        stop = ask(session, (text) => {
          token.value = text
        })
      })
      onUnmounted(() => stop?.())
      return () => h('p', `${status.value} ${token.value}`)
    },
  })
  app.mount(element)
  return {
    text: () => element.textContent,
    while: (action) => action().then(() => nextTick()),
    unmount: () => app.unmount(),
  }
}

async function inSvelte(session: Session): Promise<Shown> {
  const snapshots: Readable<SessionSnapshot> = { subscribe: (run) => watchActor(session.actor, run) }
  const token = readable('', (show) => ask(session, show))
  let text = ''
  const unmount = derived(
    [snapshots, token],
    ([snapshot, value]) => `${statusOf(snapshot)} ${value}`,
  ).subscribe((value) => {
    text = value
  })
  return { text: () => text, while: (action) => action().then(() => undefined), unmount }
}

test.each([
  ['React in StrictMode', inReact],
  ['Vue', inVue],
  ['Svelte', inSvelte],
])(
  '%s shows a session that lives outside: mounted, unmounted and mounted again, one refresh',
  async (_, mount) => {
    const { time, server, loggedIn } = world()
    const session = await loggedIn()
    await time.advance(3_600_000)
    const release = server.holdRefresh()

    const first = await mount(session)
    await first.while(() => time.settle())
    expect(first.text()).toBe('refreshing ')
    await first.unmount()
    const second = await mount(session)
    expect(second.text()).toBe('refreshing ')
    await second.while(async () => {
      release()
      await time.settle()
    })
    expect(second.text()).toBe('signedIn access-0-1')
    await second.unmount()
    const third = await mount(session)
    await third.while(() => time.settle())
    expect(third.text()).toBe('signedIn access-0-1')
    await third.unmount()
    expect(server.requests.slice(2)).toEqual(['refresh-0-0'])
    expect(time.timers).toBe(0)
  },
)
