import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from 'vite'
import { expect, onTestFinished, test } from 'vitest'
import config from './browser/vite.config.ts'

test("the guide's Vite proxy forwards only the login, without cookies", async () => {
  const asked: unknown[] = []
  const service = createHttpServer(({ method, url, headers }, response) => {
    asked.push([method, url, headers.host, headers.cookie])
    response.end('{}')
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(service.address() as AddressInfo).port}`
  const proxy = Object.entries(config.server?.proxy ?? {}).map(([path, options]) => [
    path,
    { ...(options as object), target: `http://${host}` },
  ])
  const vite = await createServer({
    configFile: false,
    appType: 'custom',
    logLevel: 'silent',
    optimizeDeps: { noDiscovery: true },
    server: { port: 0, host: '127.0.0.1', ws: false, watch: null, proxy: Object.fromEntries(proxy) },
  })
  onTestFinished(async () => {
    await vite.close()
    service.close()
  })
  await vite.listen()
  const { port } = new URL(vite.resolvedUrls?.local[0] ?? '')
  const send = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { cookie: 'session=1' },
      body: 'client_id=id',
    })

  for (const path of ['/login/device/code', '/login/oauth/access_token'])
    expect((await send(path)).status).toBe(200)
  expect(asked).toEqual([
    ['POST', '/login/device/code', host, undefined],
    ['POST', '/login/oauth/access_token', host, undefined],
  ])
  for (const path of ['/login/device', '/user', '/login/device/code/more']) await send(path)
  expect(asked).toHaveLength(2)
})
