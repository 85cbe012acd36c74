import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type OAuthToken, Secret } from '../../src/index.ts'
import { type Session, viewOfSession } from '../../src/session/index.ts'
import { fileStore } from '../../src/session/node/index.ts'
import { HOUR, world } from './support/world.ts'

/** Files take real time, and a busy machine more of it. */
const PATIENCE = { timeout: 30_000 }

/** Mounts a file system of 64 KB. Only root may do that: for other users, the tests are skipped. */
function mount(): string {
  const path = mkdtempSync(join(tmpdir(), 'authgraph-full-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'tmpfs', path], { stdio: 'ignore' })
  onTestFinished(() => {
    // A session that was stopped may still have a file open.
    execFileSync('umount', ['--lazy', path])
    rmdirSync(path)
  })
  return path
}

function canMount(): boolean {
  const path = mkdtempSync(join(tmpdir(), 'authgraph-full-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', path], { stdio: 'ignore' })
    execFileSync('umount', [path])
    return true
  } catch {
    return false
  } finally {
    rmdirSync(path)
  }
}

/** How a file system fails, and how it recovers. */
const failures = {
  full: {
    fail(path: string) {
      try {
        for (;;) appendFileSync(join(path, 'filler'), Buffer.alloc(4096))
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOSPC' })
      }
    },
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
  const token: OAuthToken = {
    accessToken: new Secret('access-0-0'),
    refreshToken: new Secret('refresh-0-0'),
    tokenType: 'bearer',
    scopes: ['repo'],
    missingScopes: [],
    expiresIn: 3600,
  }
  const path = mount()
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

describe.skipIf(!canMount())('a store on a file system of 64 KB (mounted by root)', () => {
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
      await expect(session.logout()).rejects.toMatchObject(unavailable)
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
})
