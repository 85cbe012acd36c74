import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { fileStore, keyringKey } from '../../src/session/node/index.ts'
import { keyringOrFile } from '../../src/session/node/keyring-or-file.ts'
import { hasKeyring, startKeyring } from '../cli/support/keyring.ts'
import { errorWith } from '../support/error-with.ts'
import { buildProgram, startProgram } from './support/start-program.ts'

/** Programs that start at the same time. */
const PROCESSES = Number(process.env.AUTHGRAPH_PROCESSES ?? 10)

const record = { status: 'signedIn', token: { accessToken: 'gho_secret' } }

describe.skipIf(!hasKeyring)('keyringKey', () => {
  let keyring: Awaited<ReturnType<typeof startKeyring>>
  beforeAll(async () => {
    await buildProgram()
    keyring = await startKeyring()
    vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', keyring.env.DBUS_SESSION_BUS_ADDRESS)
    vi.stubEnv('XDG_STATE_HOME', mkdtempSync(join(tmpdir(), 'authgraph-keyring-')))
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await keyring.stop()
  })

  const read = (count: number) => Promise.all(Array.from({ length: count }, () => startProgram('key').ended))

  test('is one for processes that create it at the same time, and for many that read it', async () => {
    const keys = [...(await read(5)), ...(await read(PROCESSES))]
    expect(new Set(keys)).toEqual(new Set([keys[0]]))
    expect(keys[0]?.split(',')).toHaveLength(32)
  })

  test('encrypts the tokens of a file store, and is read once', async () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'authgraph-sealed-')), 'logins')
    const write = () =>
      fileStore(folder, { seal: keyringKey('my-cli') }).update('work', () => ({
        result: undefined,
        value: record,
      }))
    onTestFinished(() => {
      vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', keyring.env.DBUS_SESSION_BUS_ADDRESS)
    })
    await write()
    const raw = await fileStore(folder).update('work', (value) => ({ result: value }))
    expect(raw).toMatchObject({ status: 'signedIn', sealed: expect.any(Array) })
    expect(JSON.stringify(raw)).not.toContain('gho_secret')
    vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nowhere')
    await write()
  })

  test('encrypts a record in plain text at the next write, where a keyring is optional', async () => {
    const folder = join(process.env.XDG_STATE_HOME ?? '', 'my-cli')
    await fileStore(folder).update('work', () => ({ result: undefined, value: record }))
    const store = keyringOrFile('my-cli')
    expect(await store.update('work', (value) => ({ result: value, value: record }))).toEqual(record)
    expect([store.whyPlain(), store.placeOf('work')]).toEqual([
      undefined,
      `${join(folder, 'work.json')} (encrypted, key in the keyring)`,
    ])
    const raw = await fileStore(folder).update('work', (value) => ({ result: value }))
    expect(JSON.stringify(raw)).not.toContain('gho_secret')
    expect(await store.update('work', (value) => ({ result: value }))).toEqual(record)
  })

  test('never replaces an entry that is not a key', async () => {
    const { AsyncEntry } = await import('@napi-rs/keyring')
    const entry = new AsyncEntry('damaged', 'session key', { linux: { store: 'secret-service' } })
    await entry.setPassword('no key')
    await expect(keyringKey('damaged')()).rejects.toEqual(
      errorWith('store_unavailable', 'damaged / session key'),
    )
    expect(await entry.getPassword()).toBe('no key')
  })

  test('waits at most ten seconds for a keyring that never responds', async () => {
    const { AsyncEntry } = await import('@napi-rs/keyring')
    const asked = vi.spyOn(AsyncEntry.prototype, 'getPassword').mockReturnValue(new Promise(() => undefined))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => {
      vi.useRealTimers()
      asked.mockRestore()
    })
    const late = expect(keyringKey('silent')()).rejects.toThrow('no response within 10 seconds')
    await vi.advanceTimersByTimeAsync(10_000)
    await late
  })

  test('says that the keyring is locked, and does not wait for it', async () => {
    keyring.lock()
    const said = await startProgram('key').ended
    expect(said).toContain('the system keyring cannot be used: ')
    expect(said).not.toContain('no response')
  })
})

// After the others: D-Bus keeps the first address of a process.
describe('keyringKey without a keyring', () => {
  test('rejects, and does not fall back to the kernel keyring', async () => {
    vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nowhere')
    await expect(keyringKey('nowhere')()).rejects.toEqual(
      errorWith('store_unavailable', 'the system keyring cannot be used: none is running in this session'),
    )
    vi.unstubAllEnvs()
  })

  test('a token in plain text never replaces an encrypted one, where a keyring is optional', async () => {
    vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/nowhere')
    vi.stubEnv('XDG_STATE_HOME', mkdtempSync(join(tmpdir(), 'authgraph-keyring-')))
    const folder = join(process.env.XDG_STATE_HOME ?? '', 'nowhere')
    const change = () => ({ result: undefined, value: record })
    await fileStore(folder, { seal: new Uint8Array(32) }).update('work', change)
    const before = await fileStore(folder).update('work', (value) => ({ result: value }))
    await expect(keyringOrFile('nowhere').update('work', change)).rejects.toThrow('keyring cannot be used')
    expect(await fileStore(folder).update('work', (value) => ({ result: value }))).toEqual(before)
    vi.unstubAllEnvs()
  })

  test.each(['', 1 as unknown as string])('does not take %j for a name', (name) => {
    expect(() => keyringKey(name)).toThrow(/name of your program/)
  })
})
