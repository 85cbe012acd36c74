import { Activity, act, createElement, type ReactNode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { onTestFinished } from 'vitest'

declare global {
  var IS_REACT_ACT_ENVIRONMENT: boolean
}

/** Renders with React into an element of the page, then runs the callback. */
export async function render(node: ReactNode, during: () => unknown) {
  globalThis.IS_REACT_ACT_ENVIRONMENT = true
  const element = document.body.appendChild(document.createElement('div'))
  const root = createRoot(element)
  const unmount = () => act(async () => root.unmount())
  onTestFinished(async () => {
    await unmount()
    element.remove()
  })
  await act(async () => {
    root.render(node)
    await during()
  })
  return {
    element,
    unmount,
    /** Runs an action and lets React render the result. */
    while: (change: () => unknown) =>
      act(async () => {
        await change()
      }),
  }
}

/** A tree that React can hide and show, like a tab. */
export function hideable(children: ReactNode) {
  let setMode = (_: 'hidden' | 'visible'): void => undefined
  function Tab() {
    const [mode, set] = useState<'hidden' | 'visible'>('visible')
    setMode = set
    return createElement(Activity, { mode, children })
  }
  return {
    tab: createElement(Tab),
    hide: () => setMode('hidden'),
    show: () => setMode('visible'),
  }
}
