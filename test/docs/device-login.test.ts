import { join, resolve } from 'node:path'
import { createDeviceAuthorization, github } from 'authgraph'
import { build, createServer as createViteServer } from 'vite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readMachine } from '../../docs/tools/read-machine.ts'
import { deviceAuthorization } from '../../machines/device-authorization.ts'
import { freePort } from '../support/free-port.js'

const folder = resolve(import.meta.dirname, '../../docs/examples/device-login')

test('the example serves its page and a service that logs a device in', async () => {
  // The page and the service share a port that the service must know before it listens.
  const port = await freePort()
  const vite = await createViteServer({
    configFile: join(folder, 'vite.config.ts'),
    server: { port, hmr: false },
    logLevel: 'silent',
  })
  onTestFinished(() => vite.close())
  await vite.listen()
  const url = `http://127.0.0.1:${port}`
  expect(await (await fetch(url)).text()).toContain('<title>Device login</title>')
  expect(await (await fetch(`${url}/main.ts`)).text()).toContain('data-state')

  const login = createDeviceAuthorization({ clientId: 'example', provider: github({ authUrl: url }) })
  onTestFinished(() => void login.stop())
  login.start()
  await vi.waitFor(() => expect(login.getSnapshot().matches('waiting')).toBe(true))
  expect(login.getSnapshot().context.codes?.verificationUri).toBe(`${url}/login/device`)
})

test('the example builds, with a picture that has every state', async () => {
  const built = await build({
    configFile: join(folder, 'vite.config.ts'),
    build: { write: false },
    logLevel: 'silent',
  })
  const files = [built].flat().flatMap((one) => ('output' in one ? one.output : []))
  const code = files.map((file) => ('code' in file ? file.code : '')).join('')
  for (const { id, type } of readMachine(deviceAuthorization).states)
    if (id !== '' && type !== 'history') expect(code).toContain(`data-state="${id}"`)
})
