import { request } from 'node:http'
import { connect } from 'node:net'
import { expect, test, vi } from 'vitest'
import { authorizeDevice, github } from '../../src/index.ts'
import { createService } from '../../src/service/index.ts'
import { fastClock } from '../support/fast-clock.ts'

const options = { clients: [{ clientId: 'id', name: 'App' }] }

test('a whole flow goes over HTTP, and the token works at the API', async () => {
  const clock = fastClock(20)
  const service = createService({ ...options, clock })
  const { url, close } = await service.listen()
  const token = await authorizeDevice({
    clientId: 'id',
    profile: github({ authUrl: url, baseUrl: url }),
    clock,
    onCodes: ({ userCode, verificationUri }) => {
      expect(verificationUri).toBe(`${url}/login/device`)
      return service.approve(userCode, 'octocat')
    },
  })
  const answer = await fetch(`${url}/user`, {
    headers: { authorization: `token ${token.accessToken.reveal()}` },
  })
  expect(await answer.json()).toEqual({ login: 'octocat' })
  await close()
})

test('answers have a length, and connections are kept alive', async () => {
  const { url, close } = await createService(options).listen()
  const headers = await new Promise<NodeJS.Dict<string | string[]>>((resolve) =>
    request(`${url}/user`, { headers: { connection: 'keep-alive' } }, (answer) =>
      resolve(answer.resume().headers),
    ).end(),
  )
  expect(Number(headers['content-length'])).toBeGreaterThan(0)
  expect(headers['keep-alive']).toBe('timeout=75')
  await close()
})

test('a body larger than 64 KiB is refused over HTTP too', async () => {
  const { url, close } = await createService(options).listen()
  const answer = await fetch(`${url}/login/device/code`, { method: 'POST', body: 'x'.repeat(70_000) })
  expect(answer.status).toBe(413)
  await close()
})

test('a port that is taken is a clear error', async () => {
  const { url, close } = await createService(options).listen()
  const port = Number(new URL(url).port)
  await expect(createService(options).listen({ port })).rejects.toMatchObject({
    code: 'bad_option',
    message: `cannot listen on port ${port} of 127.0.0.1: EADDRINUSE`,
  })
  await close()
})

test.each([
  ['a page, into which a bundler put an empty module', () => ({ createServer: undefined })],
  [
    'a worker, which has no such module',
    () => {
      throw new Error('No such module "node:http".')
    },
  ],
])('in %s, to listen is a clear error', async (_, makeModule) => {
  vi.doMock('node:http', makeModule)
  await expect(createService(options).listen()).rejects.toMatchObject({
    code: 'bad_option',
    message: expect.stringContaining('this runtime cannot listen'),
  })
  vi.doUnmock('node:http')
})

test('a connection that breaks in the middle of a body harms nobody', async () => {
  const { url, close } = await createService(options).listen()
  const { port, hostname } = new URL(url)
  await new Promise<void>((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        'POST /login/device/code HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nclient_id',
        () => socket.destroy(),
      )
    })
    socket.on('close', () => resolve())
  })
  expect((await fetch(`${url}/user`)).status).toBe(401)
  await close()
})
