import { act, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { onTestFinished } from 'vitest'

declare global {
  var IS_REACT_ACT_ENVIRONMENT: boolean
}

/** Shows something with React, in an element of the page; then does what is given. */
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
    /** Does something, and lets React show what came of it. */
    while: (change: () => unknown) =>
      act(async () => {
        await change()
      }),
  }
}
