import assert from 'node:assert/strict'
import { useDeviceLogin, useSession } from 'authgraph/react'
import { createSession, memoryStore } from 'authgraph/session'
import { createElement, StrictMode } from 'react'
import { renderToString } from 'react-dom/server'

function SignIn() {
  const { view, isRunning } = useDeviceLogin()
  return createElement('button', { type: 'button', disabled: isRunning }, view?.text ?? 'Sign in')
}

const session = createSession({ clientId: 'id', store: memoryStore(), onCodes: () => undefined })

function Account() {
  return useSession(session).status
}

const render = (component) => renderToString(createElement(StrictMode, null, createElement(component)))
assert.equal(render(SignIn), '<button type="button">Sign in</button>')
assert.equal(render(Account), session.actor.getSnapshot().value)
session.actor.stop()
