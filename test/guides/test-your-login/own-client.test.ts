import type { Sandbox } from 'authgraph/testing'
import { test } from 'authgraph/testing/vitest'
import { expect } from 'vitest'

/** A client of your own. */
async function logIn({ client, endpoints, fetch, clock }: Sandbox) {
  const post = async (url: string, fields: Record<string, string>) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ client_id: client.clientId, ...fields }),
    })
    return JSON.parse(await response.text())
  }
  const wait = (seconds: number) =>
    new Promise((resolve) => clock.setTimeout(resolve, seconds * 1000))

  const codes = await post(endpoints.deviceAuthorization, {})
  let { interval } = codes
  for (;;) {
    await wait(interval)
    const result = await post(endpoints.token, {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: codes.device_code,
    })
    if (result.access_token) return result.access_token
    if (result.error === 'slow_down') interval = result.interval
    else if (result.error !== 'authorization_pending')
      throw new Error(result.error)
  }
}

test('waits as long as slow_down says', async ({ sandbox }) => {
  sandbox.inject({ error: 'slow_down', interval: 30 }, { on: 'poll' })
  const token = logIn(sandbox)
  await sandbox.advance(5)
  await sandbox.approve()
  expect(await sandbox.run(token)).toMatch(/^gho_/)
  const [start = 0, ...polls] = sandbox.requests.map(({ at }) => at)
  expect(polls).toEqual([start + 5_000, start + 35_000])
})

test('says that the code has expired', async ({ sandbox }) => {
  sandbox.inject({ error: 'expired_token' }, { on: 'poll' })
  const token = logIn(sandbox)
  await expect(sandbox.run(token)).rejects.toThrow('expired_token')
})
