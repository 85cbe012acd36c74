import { expect, test } from 'vitest'
import { app, createApi, github, installation, installationsOf } from '../../src/auth/index.ts'
import { appService, privateKey } from '../support/app-service.ts'
import { recordingFetch } from '../support/form-contract.ts'

async function listed<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

test('installationsOf lists the installations of an app, for installation()', async () => {
  const { baseUrl, fetch, clock } = appService()
  const octoApp = app({ appId: 1, privateKey, clock })
  const options = { provider: github({ baseUrl }), fetch }
  const found = await listed(installationsOf(octoApp, options))
  expect(found).toEqual([
    { installationId: 11, owner: 'octo-org', isSuspended: false },
    { installationId: 22, owner: 'hubot', isSuspended: false },
  ])
  const [{ installationId } = { installationId: 0 }] = found
  const auth = installation({ app: octoApp, installationId, clock })
  const { total_count } = await createApi({ auth, ...options })<{ total_count: number }>(
    '/installation/repositories',
  )
  expect(total_count).toBe(2)
})

test('installationsOf follows pages, and knows enterprises and suspended installations', async () => {
  const { sent, fetch } = recordingFetch(
    Response.json([{ id: 1, account: { slug: 'big' }, suspended_at: null }], {
      headers: { link: '<?page=2>; rel="next"' },
    }),
    Response.json([
      { id: 2, account: null, suspended_at: '2026-01-01T00:00:00Z' },
      { id: 3, account: { login: { toString: null }, slug: 5 } },
    ]),
  )
  expect(await listed(installationsOf(app({ appId: 1, privateKey }), { fetch }))).toEqual([
    { installationId: 1, owner: 'big', isSuspended: false },
    { installationId: 2, owner: '', isSuspended: true },
    { installationId: 3, owner: '', isSuspended: false },
  ])
  expect(sent.map(({ url }) => url)).toEqual([
    'https://api.github.com/app/installations?per_page=100',
    'https://api.github.com/app/installations?page=2',
  ])
})

test.each([{}, { id: '1' }, { id: { valueOf: null, toString: null } }, null])(
  'installationsOf rejects %j, which has no id',
  async (found) => {
    const { fetch } = recordingFetch(Response.json([found]))
    await expect(listed(installationsOf(app({ appId: 1, privateKey }), { fetch }))).rejects.toMatchObject({
      code: 'bad_response',
    })
  },
)
