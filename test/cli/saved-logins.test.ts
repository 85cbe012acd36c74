import { expect, test } from 'vitest'
import { withProfile } from '../../src/cli/storage/saved-logins.ts'
import { Secret } from '../../src/secret.ts'
import { memoryStore } from '../../src/session/index.ts'

const profile = (scope: string) => ({
  name: 'work',
  address: { host: 'github.com' },
  scopes: [scope],
  store: 'file' as const,
  since: 1,
})

test('a renewal keeps the profile of a login that began after the command had read its own', async () => {
  const store = memoryStore()
  const newer = withProfile(store, profile('newer'), new Secret('newer id'))
  const older = withProfile(store, profile('older'), new Secret('older id'))
  const put = (into: typeof store, login: string, generation: number) =>
    into.update('work', () => ({ result: undefined, value: { login, generation, token: {} } }))
  const read = () => store.update('work', (value) => ({ result: value }))
  await put(newer, 'a', 0)
  await put(older, 'a', 1)
  expect(await read()).toMatchObject({
    generation: 1,
    profile: { scopes: ['newer'] },
    token: { clientId: 'newer id' },
  })
  await put(older, 'b', 0)
  expect(await read()).toMatchObject({ profile: { scopes: ['older'] }, token: { clientId: 'older id' } })
})
