// @vitest-environment jsdom
import { useActorRef, useSelector } from '@xstate/react'
import { StrictMode } from 'react'
import { expect, test } from 'vitest'
import { type DeviceAuthorizationActor, viewOf } from '../../src/index.ts'
import { deviceInput, deviceMachine } from '../../src/machines.ts'
import { render } from '../support/render.ts'
import { responses } from '../support/responses.ts'
import { scripted } from '../support/scripted-service.ts'

const { codes, pending, token } = responses

function Shown({ login }: { readonly login: DeviceAuthorizationActor }) {
  const { text, userCode } = useSelector(login, (snapshot) => viewOf(snapshot, 0))
  return (
    <p>
      {text} {userCode}
    </p>
  )
}

test('useActorRef in StrictMode requests one code, and returns the token', async () => {
  const { time, sent, options } = scripted(codes, pending, token)

  function Login() {
    const login = useActorRef(deviceMachine, { input: deviceInput(options), clock: options.clock })
    return <Shown login={login} />
  }

  const tree = (
    <StrictMode>
      <Login />
    </StrictMode>
  )
  const shown = await render(tree, () => time.settle())
  // It failed here: the end of the request that StrictMode aborted was taken for that of the second.
  expect(shown.element.textContent).toContain('WDJB-MJHT')
  expect(sent).toHaveLength(1)
  await shown.while(() => time.advance(12_000))
  expect(shown.element.textContent).toBe('Authorized. ')
  expect(time.timers).toBe(0)
})
