import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import files, { open } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { memoryStore, type SessionStore, sealed } from '../../src/session/index.ts'
import { fileStore } from '../../src/session/node/index.ts'
import { folderOf, processOwners } from '../../src/session/node/shared-files.ts'
import type { Json } from '../../src/store/store.ts'
import { storeContract } from '../../src/testing/index.ts'
import { errorWith } from '../support/error-with.ts'
import { eventually } from '../support/eventually.ts'
import { buildProgram, startProgram } from './support/start-program.ts'

const key = new Uint8Array(32).fill(7)
const NAME = 'a b'
const FILE = 'a%20b.json'

const read = (store: SessionStore, name = NAME) => store.update(name, (value) => ({ result: value }))
const write = (store: SessionStore, value: Json = 1, name = NAME) =>
  store.update(name, () => ({ result: undefined, value }))

const folder = () => join(mkdtempSync(join(tmpdir(), 'authgraph-store-')), 'logins')

beforeAll(buildProgram)

function sharedFiles(seal?: Uint8Array) {
  const path = folder()
  const args = seal ? [path, Buffer.from(seal).toString('hex')] : [path]
  return {
    store: fileStore(path, { ...(seal && { seal }) }),
    start: () => startProgram('count', ...args).child,
  }
}

describe.each([
  ['fileStore', storeContract(() => fileStore(folder()), { shared: sharedFiles })],
  ['sealed', storeContract(() => sealed(memoryStore(), key))],
  [
    'a sealed fileStore',
    storeContract(() => fileStore(folder(), { seal: key }), { shared: () => sharedFiles(key) }),
  ],
])('%s as a store', (_, contract) => {
  for (const { name, run } of contract) test(name, run)
})

describe('sealed', () => {
  const record = {
    login: 'a',
    origins: ['https://a.example'],
    generation: 0,
    token: { accessToken: 'gho_secret' },
  }

  test('keeps the token out of the store, and the rest readable', async () => {
    const inner = memoryStore()
    const store = sealed(inner, key)
    await write(store, record)
    const raw = await read(inner)
    expect(raw).toMatchObject({ login: 'a', generation: 0 })
    expect(JSON.stringify(raw)).not.toContain('gho_secret')
    expect(await read(store)).toEqual(record)
  })

  test.each([
    ['another key', {}, new Uint8Array(32).fill(8), NAME],
    ['another login', { login: 'b' }, key, NAME],
    ['other origins', { origins: ['https://evil.example'] }, key, NAME],
    ['another member', { profile: { host: 'evil.example' } }, key, NAME],
    ['another name', {}, key, 'other'],
  ])('does not open a token with %s', async (_, changed, other, name) => {
    const inner = memoryStore()
    await write(sealed(inner, key), record)
    await write(inner, Object.assign({}, await read(inner), changed), name)
    await expect(read(sealed(inner, other), name)).rejects.toMatchObject({
      name: 'DamagedRecordError',
      code: 'store_unavailable',
    })
  })

  test('opens a token in a store that changes the order of members', async () => {
    const inner = memoryStore()
    const store = sealed(inner, key)
    const more = { ...record, claim: { owner: 'a', since: 1 } }
    await write(store, more)
    const reversed = (value: object) => Object.fromEntries(Object.entries(value).reverse())
    await write(inner, reversed({ ...Object(await read(inner)), claim: reversed(more.claim) }))
    expect(await read(store)).toEqual(more)
  })

  test('counts each update of several processes', async () => {
    const inner = memoryStore()
    const add = () =>
      sealed(inner, key).update(NAME, (value) => ({ result: undefined, value: Number(value ?? 0) + 1 }))
    await Promise.all([add(), add(), add()])
    expect(await read(inner)).toBe(3)
  })

  test('does not take a token that is not sealed', async () => {
    const inner = memoryStore()
    await write(inner, record)
    await expect(read(sealed(inner, key))).rejects.toMatchObject({
      code: 'store_unavailable',
      message: 'the stored record is not encrypted: delete it',
    })
  })

  test('takes a key of 32 bytes only', async () => {
    expect(() => sealed(memoryStore(), new Uint8Array(16))).toThrow(/32 bytes/)
    const store = sealed(memoryStore(), async () => new Uint8Array(16))
    await expect(write(store, record)).rejects.toMatchObject({ code: 'bad_option' })
  })

  test('asks for the key once, when a token is written or read, and again after it was refused', async () => {
    const keys = [Promise.reject(new Error('locked')), Promise.resolve(key)]
    keys[0]?.catch(() => undefined)
    const inner = memoryStore()
    const store = sealed(inner, () => keys.shift() ?? Promise.reject(new Error('asked again')))
    await write(store, { status: 'signedOut' })
    expect(keys).toHaveLength(2)
    await expect(write(store, record)).rejects.toThrow('locked')
    await Promise.all([write(store, record), write(store, record)])
    expect(await read(store)).toEqual(record)
  })
})

/** A process that has ended, as its files name it. */
function deadOwner(): string {
  const [host] = processOwners().self.split('/')
  return `${host}/${spawnSync(process.execPath, ['--version']).pid}/1`
}

describe('fileStore', () => {
  /** A folder with a record. */
  async function written() {
    const path = folder()
    const store = fileStore(path)
    await write(store)
    return { path, store, file: join(path, FILE), lock: join(path, `${FILE}.lock`) }
  }

  /** Writes as soon as another process gives the lock back. */
  async function waitsForLock(store: SessionStore, release: () => unknown): Promise<void> {
    let isWritten = false
    const waiting = write(store).then(() => {
      isWritten = true
    })
    for (let times = 0; times < 10; times += 1) await write(store, times, 'other')
    expect(isWritten).toBe(false)
    await release()
    await waiting
  }

  test('keeps a file that only the user may read, in such a folder, and leaves nothing else', async () => {
    const { path, file } = await written()
    expect(readdirSync(path)).toEqual([FILE])
    expect(statSync(path).mode & 0o777).toBe(0o700)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ value: 1 })
  })

  test.each(['755', '750', '770', '701', '710'])(
    'refuses a folder of mode %s, and says what to do',
    async (mode) => {
      const { path } = await written()
      chmodSync(path, Number.parseInt(mode, 8))
      for (const use of [write, read])
        await expect(use(fileStore(path))).rejects.toEqual(errorWith('store_unavailable', 'chmod 700'))
    },
  )

  test('removes what a killed writer of the same login left, and nothing else', async () => {
    const { path } = await written()
    const uuid = crypto.randomUUID()
    for (const name of [`a%20b.json.new.${uuid}`, 'a%20b.json.new.json', `a.json.new.${uuid}`])
      writeFileSync(join(path, name), 'pair')
    await write(fileStore(path))
    expect(readdirSync(path).sort()).toEqual(['a%20b.json', 'a%20b.json.new.json', `a.json.new.${uuid}`])
  })

  test('removes what killed processes left that waited for the lock of the same login', async () => {
    const { path } = await written()
    const { self } = processOwners()
    const dead = deadOwner()
    const leave = (owner: string | undefined, { age = 0, of = 'a%20b' } = {}) => {
      const name = `${of}.json.lock.new.${crypto.randomUUID()}`
      writeFileSync(join(path, name), owner === undefined ? '' : JSON.stringify({ owner, nonce: name }))
      const date = Date.now() / 1000 - age
      utimesSync(join(path, name), date, date)
      return name
    }
    leave(dead)
    leave('another boot/1/1', { age: 100 })
    leave(undefined, { age: 100 })
    const others = [
      leave(self, { age: 100 }),
      leave('another boot/1/1'),
      leave(undefined),
      leave(dead, { of: 'b' }),
    ]
    await write(fileStore(path))
    expect(readdirSync(path).sort()).toEqual(['a%20b.json', ...others].sort())
  })

  test('does not wait for the writer of a pipe in place of a file', async () => {
    const { store, file } = await written()
    rmSync(file)
    execFileSync('mkfifo', [file])
    await expect(write(store)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: `${file} cannot be read or written: not a regular file`,
    })
  })

  test.each([
    [undefined, '.local/state'],
    ['', '.local/state'],
    ['relative/state', '.local/state'],
    ['/absolute', '/absolute'],
  ])('with XDG_STATE_HOME=%s, the folder of an app is in %s', (given, expected) => {
    vi.stubEnv('XDG_STATE_HOME', given)
    vi.stubEnv('HOME', '/home/octo')
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(folderOf('my-cli')).toBe(resolve('/home/octo', expected, 'my-cli'))
  })

  test('writes a record to the disk before it takes the place of the old one', async () => {
    const { store, file } = await written()
    const old = readFileSync(file, 'utf8')
    const handle = await open(file)
    const atSync: string[] = []
    const sync = vi.spyOn(Object.getPrototypeOf(handle), 'sync').mockImplementation(async () => {
      atSync.push(readFileSync(file, 'utf8'))
    })
    await handle.close()
    onTestFinished(() => sync.mockRestore())
    await write(store, 2)
    expect(atSync).toEqual([old])
  })

  /** A lock that a dead process left, and a watch on the file system. */
  async function withDeadLock() {
    const { path, lock } = await written()
    const { self } = processOwners()
    writeFileSync(lock, JSON.stringify({ owner: deadOwner(), nonce: 'dead' }))
    const { link, rm } = files
    const watch = ({
      beforeLink,
      beforeRm,
    }: Partial<Record<'beforeLink' | 'beforeRm', (file: string) => void>>) => {
      const spies = [
        vi.spyOn(files, 'link').mockImplementation(async (from, to) => {
          beforeLink?.(String(to))
          await link(from, to)
        }),
        vi.spyOn(files, 'rm').mockImplementation(async (file, options) => {
          beforeRm?.(String(file))
          await rm(file, options)
        }),
      ]
      syncBuiltinESMExports()
      onTestFinished(() => {
        for (const spy of spies) spy.mockRestore()
        syncBuiltinESMExports()
      })
    }
    return { path, lock, self, watch }
  }

  test('an heir removes the lock first, so that nobody can become the next heir', async () => {
    const { path, lock, watch } = await withDeadLock()
    const removed: string[] = []
    watch({ beforeRm: (file) => removed.push(file) })
    await write(fileStore(path))
    expect(removed.filter((file) => !file.includes('.new.'))).toEqual([lock, `${lock}.dead`])
  })

  test('a second heir does nothing where the first one has finished, and another process has the lock', async () => {
    const { path, lock, self, watch } = await withDeadLock()
    let links = 0
    watch({
      beforeLink: (file) => {
        if (file !== `${lock}.dead` || links++ > 0) return
        rmSync(lock)
        writeFileSync(lock, JSON.stringify({ owner: self, nonce: 'alive' }))
      },
    })
    await waitsForLock(fileStore(path), async () => {
      await eventually(() => expect(links).toBe(1))
      rmSync(lock)
    })
    expect(readdirSync(path).sort()).toEqual([FILE, 'other.json'])
  })

  const foreign = JSON.stringify({ owner: 'another boot/1/1', nonce: 'foreign' })

  test.each([
    ['of another boot', foreign],
    ['without content, as after a crash', ''],
  ])('takes over an old lock %s', async (_, content) => {
    const { path, lock } = await written()
    writeFileSync(lock, content)
    const old = Date.now() / 1000 - 100
    utimesSync(lock, old, old)
    await Promise.all([1, 2, 3].map((value) => write(fileStore(path), value)))
    expect(readdirSync(path)).toEqual(['a%20b.json'])
  })

  test.each([
    ['young', -60],
    ['with a future date', 1_000_000],
  ])('waits for a lock of another boot that is %s', async (_, seconds) => {
    const { store, lock } = await written()
    writeFileSync(lock, foreign)
    const date = Date.now() / 1000 + seconds
    utimesSync(lock, date, date)
    await waitsForLock(store, () => rmSync(lock))
  })

  test('says which file is damaged', async () => {
    const { store, file } = await written()
    writeFileSync(file, '{')
    await expect(write(store)).rejects.toMatchObject({
      name: 'DamagedRecordError',
      code: 'store_unavailable',
      message: expect.stringContaining('a%20b.json is damaged'),
    })
  })

  test.each(['', 1 as unknown as string])('does not take %j for a name', (name) => {
    expect(() => fileStore(name)).toThrow(/name of your app/)
  })
})
