import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../src/index.ts'
import { type Session, viewOfSession } from '../../src/session/index.ts'
import { fileStore } from '../../src/session/node/index.ts'
import { errorWith } from '../support/error-with.ts'
import { canMount, fill, mountSmallDisk } from '../support/small-disk.ts'
import { foreignToken, HOUR, world } from './support/world.ts'

/** Files take real time, and a busy machine more of it. */
const PATIENCE = { timeout: 30_000 }

/** How a file system fails, and how it recovers. */
const failures = {
  full: {
    fail: (path: string) => void fill(path),
    recover: (path: string) => rmSync(join(path, 'filler')),
    code: 'ENOSPC',
  },
  'read-only': {
    fail: (path: string) => void execFileSync('mount', ['-o', 'remount,ro', path]),
    recover: (path: string) => void execFileSync('mount', ['-o', 'remount,rw', path]),
    code: 'EROFS',
  },
}

/** A login in a file of a small file system. */
async function storedLogin() {
  const made = world()
  // The first login of the provider, whose token is then stored in the file.
  await made.loggedIn()
  const refreshToken = new Secret('refresh-0-0')
  const token = foreignToken('access-0-0', { refreshToken, expiresIn: 3600 })
  const { path, unmount } = mountSmallDisk()
  onTestFinished(unmount)
  const folder = join(path, 'logins')
  mkdirSync(folder, { mode: 0o700 })
  const open = () => made.open({ store: fileStore(folder) })
  const session = open()
  await session.keep(token)
  made.server.requests.length = 0
  // Files take real time, in which the virtual time stands still.
  const read = (from: Session) => from.token().then((secret) => secret.reveal())
  return { ...made, path, folder, open, session, read }
}

describe.skipIf(!canMount)('a store on a file system of 64 KB (mounted by root)', () => {
  test.each(Object.entries(failures))(
    'that is %s: a valid token is used, and no refresh token',
    async (_, failure) => {
      const { time, server, path, folder, open, session, read } = await storedLogin()
      failure.fail(path)
      expect(await read(session)).toBe('access-0-0')
      expect(await read(open())).toBe('access-0-0')
      await time.advance(HOUR - 30_000)
      expect(await read(session)).toBe('access-0-0')
      await time.advance(HOUR)
      const unavailable = { code: 'store_unavailable', message: expect.stringContaining(failure.code) }
      await expect(read(session)).rejects.toMatchObject(unavailable)
      await expect(read(open())).rejects.toMatchObject(unavailable)
      expect(server.requests).toEqual([])
      failure.recover(path)
      expect(readdirSync(folder)).toEqual(['default.json'])
      expect(await read(open())).toBe('access-0-1')
      expect(server.requests).toEqual(['refresh-0-0'])
    },
  )

  test.each(Object.entries(failures))(
    'that becomes %s during a refresh: the new token is used from memory, and stored later',
    async (_, failure) => {
      const { time, server, path, folder, open, session, read } = await storedLogin()
      await time.advance(HOUR)
      const release = server.holdRefresh()
      const token = read(session)
      await expect.poll(() => server.requests, PATIENCE).toEqual(['refresh-0-0'])
      failure.fail(path)
      release()
      expect(await token).toBe('access-0-1')
      expect(viewOfSession(session.actor.getSnapshot(), time.now)).toMatchObject({
        status: 'unsettled',
        isStored: false,
        error: { code: 'store_unavailable' },
      })
      failure.recover(path)
      await time.advance(1000)
      await expect.poll(() => session.actor.getSnapshot().value, PATIENCE).toBe('signedIn')
      expect(await read(open())).toBe('access-0-1')
      expect(readdirSync(folder)).toEqual(['default.json'])
      expect(server.requests).toEqual(['refresh-0-0'])
    },
  )

  test('that is full: a logout deletes the login, revokes its token, and leaves nothing behind', async () => {
    const { path, folder, server, session, open } = await storedLogin()
    fill(path)
    expect(await session.logout()).toEqual({ revoked: true })
    expect(server.revoked).toEqual(['refresh-0-0'])
    expect(readdirSync(folder)).toEqual([])
    await expect(open().token()).rejects.toMatchObject({ code: 'login_required' })
  })

  test('that is read-only: a logout says that it failed, and keeps the login', async () => {
    const { path, folder, server, session } = await storedLogin()
    failures['read-only'].fail(path)
    await expect(session.logout()).rejects.toEqual(errorWith('store_unavailable', 'EROFS'))
    expect(server.revoked).toEqual([])
    expect(readdirSync(folder)).toEqual(['default.json'])
  })
})
