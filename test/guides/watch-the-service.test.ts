import { expect, test } from 'vitest'
import { CLIENT_ID, startService } from '../support/start-service.ts'
import { watchService } from './watch-the-service/watch.ts'

test('the guide counts and logs each event, without secrets', async () => {
  const counted: object[] = []
  const lines: string[] = []
  const meter = {
    createCounter: (name: string) => ({
      add: (value: number, attributes: object) => void counted.push({ name, value, ...attributes }),
    }),
  }
  const { begin, approve, revoke, clock } = startService({
    onEvent: watchService(meter, (line) => lines.push(line)),
  })
  const { userCode, deviceCode, poll } = await begin({ scope: 'repo' })
  await poll()
  await poll()
  await approve(userCode, 'octocat')
  const token = (await poll()).body.access_token
  await poll()
  await revoke({ user: 'octocat' })
  const each = { name: 'authgraph.events', value: 1, client: 'App' }
  expect(counted).toEqual([
    { ...each, type: 'codes.issued', detail: '' },
    { ...each, type: 'limited', detail: 'interval' },
    { ...each, type: 'decision', detail: 'approved by host' },
    { ...each, type: 'token.issued', detail: '' },
    { ...each, type: 'token.issued', detail: 'replayed' },
    { ...each, type: 'token.revoked', detail: 'by host', client: '' },
  ])
  const logged = lines.map((line) => JSON.parse(line))
  expect(logged.map(({ type }) => type)).toEqual([
    'codes.issued',
    'limited',
    'decision',
    'token.issued',
    'token.issued',
    'token.revoked',
  ])
  expect(logged[2]).toEqual({
    at: clock.time,
    type: 'decision',
    decision: 'approved',
    by: 'host',
    user: 'octocat',
    grant: logged[0].grant,
    client: { clientId: '‹secret›', name: 'App' },
    scopes: ['repo'],
    device: {},
  })
  for (const secret of [CLIENT_ID, userCode, deviceCode, token]) expect(lines.join()).not.toContain(secret)
})
