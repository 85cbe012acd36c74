import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { readClientId, removeUnreadable, withProfile } from '../../src/cli/storage/saved-logins.ts'
import { Secret } from '../../src/secret.ts'
import { memoryStore } from '../../src/session/index.ts'
import { fileStore } from '../../src/session/node/index.ts'
import type { Json } from '../../src/store/store.ts'

const profile = (scope: string) => ({
  name: 'work',
  address: { host: 'github.com' },
  scopes: [scope],
  store: 'file' as const,
  since: 1,
})
const work = profile('repo')

let logins: string

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'ag-saved-'))
  logins = join(folder, 'state', 'logins')
  mkdirSync(logins, { recursive: true, mode: 0o700 })
  vi.stubEnv('AUTHGRAPH_CONFIG_DIR', folder)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
  })
})

const save = (text: string) => writeFileSync(join(logins, 'work.json'), text, { mode: 0o600 })

test('a refresh keeps the profile of a login that began after the command had read its own', async () => {
  const store = memoryStore()
  const newer = withProfile(store, profile('newer'), new Secret('newer id'))
  const older = withProfile(store, profile('older'), new Secret('older id'))
  const put = (into: typeof store, login: string | undefined, generation: number) =>
    into.update('work', () => ({
      result: undefined,
      value: { ...(login && { login }), generation, token: {} },
    }))
  const read = () => store.update('work', (value) => ({ result: value }))
  const newest = { profile: { scopes: ['newer'] }, token: { clientId: 'newer id' } }
  await put(newer, 'a', 0)
  for (const login of ['a', undefined]) {
    await put(older, login, 1)
    expect(await read()).toMatchObject({ generation: 1, ...newest })
  }
  await put(older, 'b', 0)
  expect(await read()).toMatchObject({ profile: { scopes: ['older'] }, token: { clientId: 'older id' } })
})

test.each([
  ['no change', undefined, 'kept'],
  ['a deletion', null, undefined],
  ['a logout', { status: 'signedOut' }, undefined],
])('%s adds no profile', async (_, value, left) => {
  const store = memoryStore()
  await store.update('work', () => ({ result: undefined, value: 'kept' }))
  const own = withProfile(store, work, new Secret('id'))
  const change = { result: 'result', ...(value !== undefined && { value: value as Json | null }) }
  expect(await own.update('work', () => change)).toBe('result')
  expect(await store.update('work', (kept) => ({ result: kept }))).toBe(left)
})

test('a store with a profile has the owners of its store', () => {
  const store = fileStore(logins)
  expect(store.owners).toBeDefined()
  expect(withProfile(store, work, new Secret('id')).owners).toBe(store.owners)
  expect(withProfile(memoryStore(), work, new Secret('id'))).not.toHaveProperty('owners')
})

const { name: _, ...saved } = work

test.each([
  ['nothing is saved', undefined, 'no_login'],
  ['the record is no JSON', '{', 'damaged_file'],
  ['the record has no client ID', JSON.stringify({ value: { profile: saved, token: {} } }), 'damaged_file'],
])('reads no client ID where %s', async (_, text, code) => {
  if (text) save(text)
  await expect(readClientId(work)).rejects.toMatchObject({ code })
})

test('reads the client ID of a login', async () => {
  save(JSON.stringify({ value: { profile: saved, token: { clientId: 'id' } } }))
  expect((await readClientId(work)).reveal()).toBe('id')
})

test('removes a record only if it is damaged', async () => {
  save(JSON.stringify({ value: { profile: saved } }))
  await removeUnreadable(work)
  expect(readdirSync(logins)).toEqual(['work.json'])
  save('{')
  await removeUnreadable(work)
  expect(readdirSync(logins)).toEqual([])
  rmSync(logins, { recursive: true })
  writeFileSync(logins, '')
  await expect(removeUnreadable(work)).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(readdirSync(dirname(logins))).toEqual(['logins'])
})
