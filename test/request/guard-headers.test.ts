import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { guardHeaders } from '../../src/request/http.ts'

/** A server that counts its requests. */
async function counting() {
  let requests = 0
  const server = createServer((_, response) => {
    requests += 1
    response.end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests: () => requests }
}

test('the headers of a request are not sent if it is too late once it has a connection', async () => {
  const { url, requests } = await counting()
  let isLate = false
  const send = () =>
    guardHeaders(
      () => (isLate ? 'it is too late' : undefined),
      () => fetch(url),
    )
  expect(await (await send()).text()).toBe('ok')
  const late = send()
  isLate = true
  await expect(late).rejects.toMatchObject({ cause: { message: 'it is too late' } })
  expect(requests()).toBe(1)
  // Other requests of the process go on.
  expect(await (await fetch(url)).text()).toBe('ok')
})
