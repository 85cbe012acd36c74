import { expect, test } from 'vitest'
import { CLIENT_ID, HOST, startService } from '../support/start-service.ts'
import { userAt } from '../support/user.ts'
import { assessWith } from './security/step-up.ts'

const PAGE = `${HOST}/login/device`

/** A device at an address, and a user in a browser who has approved it. */
async function approve(addresses: { readonly device?: string; readonly browser?: string }) {
  const from = (address = '') => ({ 'x-from': address })
  const service = startService({
    clientAddress: ({ header }) => header('x-from') || undefined,
    policy: { assess: assessWith(({ header }) => header('cookie')?.includes('confirmed=yes') ?? false) },
  })
  const asked = await service.post('/login/device/code', { client_id: CLIENT_ID }, from(addresses.device))
  const { user_code, device_code } = asked.body
  let cookies = ''
  const { open, send } = userAt((url, init) => {
    const headers = new Headers(init?.headers)
    headers.set('x-from', addresses.browser ?? '')
    headers.set('cookie', `${headers.get('cookie') ?? ''}${cookies}`)
    return service.fetch(String(url), { ...init, headers })
  })
  const decide = async (address: string) =>
    send(await send(await open(address), { user_code }), { decision: 'approve' })
  const { html } = await decide(PAGE)
  return {
    html,
    confirmAndApprove: () => {
      cookies = '; confirmed=yes'
      const [, to = ''] = /href="\/second-factor\?to=([^"]+)"/.exec(html) ?? []
      return decide(decodeURIComponent(to))
    },
    poll: async () => (await service.poll(device_code)).body,
  }
}

test('the guide lets a user through who has the address of the device', async () => {
  const { html, poll } = await approve({ device: '192.0.2.1', browser: '192.0.2.1' })
  expect(html).toContain('You approved the request')
  expect(await poll()).toHaveProperty('access_token')
})

test.each([
  ['another address', { device: '192.0.2.1', browser: '198.51.100.9' }],
  ['no known address', {}],
])('the guide asks a user with %s for a second factor, once', async (_, addresses) => {
  const { html, poll, confirmAndApprove } = await approve(addresses)
  expect(html).toContain('Confirm that it is you')
  expect((await poll()).error).toBe('authorization_pending')
  expect((await confirmAndApprove()).html).toContain('You approved the request')
})
