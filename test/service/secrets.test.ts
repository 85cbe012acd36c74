import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import type { ServiceOptions } from '../../src/service/index.ts'
import { CLIENT_ID, startService } from '../support/start-service.ts'
import { watchedStore } from '../support/watched-store.ts'

test('the store never holds a device code, a token or a client ID', async () => {
  const { store, written } = watchedStore()
  const service = startService({ store, clock: Date })
  const { deviceCode, userCode, poll } = await service.begin({ scope: 'repo' })
  await poll()
  await service.approve(userCode, 'octocat')
  const token = (await poll()).body.access_token as string
  await service.whoIs(token)
  const everything = JSON.stringify(written)
  expect(everything).toContain('octocat')
  for (const secret of [deviceCode, token, token.slice(4), CLIENT_ID])
    expect(everything).not.toContain(secret)
})

test('a denied grant is read at each poll but not written again', async () => {
  const { store, written } = watchedStore()
  const service = startService({ store, clock: Date })
  const { poll, userCode } = await service.begin()
  await service.deny(userCode)
  const before = written.filter(({ value }) => value !== undefined).length
  expect((await poll()).body.error).toBe('access_denied')
  expect((await poll()).body.error).toBe('access_denied')
  expect(written.filter(({ value }) => value !== undefined)).toHaveLength(before)
})

test('a service prints no secret', async () => {
  const service = startService({
    // In the dialect github, the path at which a client deletes its tokens holds its id.
    dialect: 'rfc8628',
    clients: [{ clientId: CLIENT_ID, clientSecret: 'the-client-secret', name: 'App' }],
    users: [{ username: 'mona', password: 'the-password' }],
    personalTokens: [{ token: 'the-personal-token', user: 'mona' }],
  })
  await service.begin({ client_secret: 'the-client-secret' })
  for (const text of [
    String(service),
    JSON.stringify(service),
    inspect(service, { depth: 9, showHidden: true }),
  ])
    for (const secret of [CLIENT_ID, 'the-client-secret', 'the-password', 'the-personal-token'])
      expect(text).not.toContain(secret)
})

const fail = () => {
  throw new Error('password=hunter2')
}

test.each<[string, Partial<ServiceOptions>]>([
  ['store', { store: { update: async () => fail() } }],
  ['page', { page: fail }],
])('a failing %s is an error without details and is reported to the host', async (name, options) => {
  const service = startService(options)
  const response = name === 'store' ? await service.askForCodes() : await service.send('/login/device')
  expect(response.status).toBe(503)
  expect(response.body).toEqual({
    error: 'temporarily_unavailable',
    error_description: 'the service cannot respond at the moment: try again later',
  })
  expect(service.errors).toEqual([new Error('password=hunter2')])
})
