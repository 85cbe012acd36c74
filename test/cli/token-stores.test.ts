import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { tokenStore } from '../../src/cli/storage/token-store.ts'
import { hasKeyring, startKeyring } from './support/keyring.ts'
import { granted } from './support/scripted-http.ts'
import { World } from './support/world.ts'
import { keptLogin, tokenStoreContract } from './token-store-contract.ts'

const DAMAGED = '{"v":1,"clientId":"id","token":{"accessToken":"gho_damaged"}}'

describe('the file store', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ag-'))
  const tokens = join(folder, 'state', 'tokens')
  beforeAll(() => vi.stubEnv('AUTHGRAPH_CONFIG_DIR', folder))
  afterAll(() => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
  })

  tokenStoreContract(() => tokenStore('file'), {
    damage: async (profile) => writeFileSync(join(tokens, `${profile}.json`), DAMAGED),
  })

  test('writes files that only the user can read, and leaves no draft behind', async () => {
    const store = await tokenStore('file')
    await store.write('mode', keptLogin('gho_mode'))
    expect(statSync(tokens).mode & 0o777).toBe(0o700)
    for (const file of readdirSync(tokens)) {
      expect(file).toMatch(/\.json$/)
      if (!file.startsWith('damaged')) expect(statSync(join(tokens, file)).mode & 0o777).toBe(0o600)
    }
  })

  test('reports in advance that it cannot write', async () => {
    vi.stubEnv('AUTHGRAPH_CONFIG_DIR', join(folder, 'a-file'))
    writeFileSync(join(folder, 'a-file'), '')
    await expect((await tokenStore('file')).check()).rejects.toMatchObject({ code: 'unusable_file' })
    vi.stubEnv('AUTHGRAPH_CONFIG_DIR', folder)
  })
})

describe.skipIf(!hasKeyring)('the keyring store', () => {
  let keyring: Awaited<ReturnType<typeof startKeyring>>
  const { DBUS_SESSION_BUS_ADDRESS } = process.env
  beforeAll(async () => {
    keyring = await startKeyring()
    Object.assign(process.env, keyring.env)
  })
  afterAll(async () => {
    if (DBUS_SESSION_BUS_ADDRESS) Object.assign(process.env, { DBUS_SESSION_BUS_ADDRESS })
    else delete process.env.DBUS_SESSION_BUS_ADDRESS
    await keyring.stop()
  })

  tokenStoreContract(() => tokenStore('keyring'), {
    damage: async (profile) => {
      const { AsyncEntry } = await import('@napi-rs/keyring')
      const entry = new AsyncEntry('authgraph', profile, { linux: { store: 'secret-service' } })
      await entry.setPassword(DAMAGED)
    },
  })

  test('takes over a login from a file: reuses the client id and deletes the file', async () => {
    const world = new World()
    onTestFinished(() => world.end())
    const { url } = await world.scripted({ polls: [granted('gho_tokenInTheClear')] })
    const login = ['login', '--host', url, '--profile', 'moved', '--store']
    expect((await world.run([...login, 'file', '--client-id', 'id'])).code).toBe(0)
    const { code } = await world.run([...login, 'keyring'], { env: keyring.env })
    expect(code).toBe(0)
    expect(world.files().filter(({ text }) => text.includes('gho_'))).toEqual([])
    expect((await world.run(['token'], { env: keyring.env })).stdout).toBe('gho_tokenInTheClear\n')
  })

  test('leaves no probe entry behind', async () => {
    const store = await tokenStore('keyring')
    await store.check()
    const { findCredentials } = await import('@napi-rs/keyring')
    expect(findCredentials('authgraph').filter(({ account }) => account.startsWith('probe'))).toEqual([])
  })
})

describe('without a keyring', () => {
  test('fails with advice and does not fall back to the kernel keyring', async () => {
    vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nowhere')
    const store = await tokenStore('keyring')
    await expect(store.check()).rejects.toMatchObject({ code: 'no_keyring' })
    await expect(store.write('any', keptLogin('gho_any'))).rejects.toMatchObject({ code: 'no_keyring' })
    vi.unstubAllEnvs()
  })
})

test('the store "none" stores nothing', async () => {
  const store = await tokenStore('none')
  await store.check()
  await store.write('any', keptLogin('gho_any'))
  expect(await store.read('any')).toBeUndefined()
  expect(await store.erase('any')).toBe(false)
})
