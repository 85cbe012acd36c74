import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { findProfile, type NamedProfile, savedProfiles } from '../../src/cli/storage/profiles.ts'
import { openLogin, removeUnreadable } from '../../src/cli/storage/saved-logins.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const name = 'work'
const store = 'file'
const saved = { address: { host: 'github.com' }, scopes: ['repo'], store, since: 1 }

let logins: string

beforeEach(() => {
  const folder = temporaryFolder()
  logins = join(folder, 'state', 'logins')
  mkdirSync(logins, { recursive: true, mode: 0o700 })
  vi.stubEnv('AUTHGRAPH_CONFIG_DIR', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
})

const save = (text: string) => writeFileSync(join(logins, 'work.json'), text, { mode: 0o600 })

const record = (more: object) => JSON.stringify({ value: { v: 1, status: 'ended', data: saved, ...more } })

test.each(['{', JSON.stringify({ value: { v: 1, status: 'ended' } })])('finds no profile in %s', (text) => {
  save(text)
  expect(() => findProfile(name)).toThrow('the saved login of work is damaged')
  expect(savedProfiles()).toMatchObject({ profiles: [], damaged: [{ name }] })
})

test('finds no profile in the record of a logout', () => {
  save(JSON.stringify({ value: { v: 1, status: 'signedOut' } }))
  expect(findProfile(name)).toBeUndefined()
  expect(savedProfiles()).toEqual({ profiles: [], damaged: [] })
})

test.each([{}, { secret: {} }])(
  'opens no login whose record has %j in place of a client ID',
  async (more) => {
    save(record(more))
    await expect(openLogin(findProfile(name) as NamedProfile)).rejects.toMatchObject({ code: 'damaged_file' })
  },
)

test('opens a login with its client ID', async () => {
  save(record({ secret: { clientId: 'id' } }))
  const opened = await openLogin(findProfile(name) as NamedProfile)
  expect(opened.clientId.reveal()).toBe('id')
  expect(opened.record).toMatchObject({ status: 'ended' })
})

test('removes a record only if it is damaged', async () => {
  save(record({}))
  await removeUnreadable({ name, store })
  expect(readdirSync(logins)).toEqual(['work.json'])
  save('{')
  await removeUnreadable({ name, store })
  expect(readdirSync(logins)).toEqual([])
  rmSync(logins, { recursive: true })
  writeFileSync(logins, '')
  await expect(removeUnreadable({ name, store })).rejects.toMatchObject({ code: 'store_unavailable' })
  expect(readdirSync(dirname(logins))).toEqual(['logins'])
})
