import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { responses } from '../support/responses.ts'
import { scriptedService } from '../support/scripted-service.ts'
import { login, whoami } from './keep-a-token/commands.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'authgraph-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Logs in with a token that expires after some seconds. */
async function loggedIn(expires_in: number): Promise<string> {
  const file = join(folder, 'token.json')
  const time = new VirtualTime()
  time.now = Date.now()
  const token = { ...responses.token, expires_in, refresh_token: 'ghr_1' }
  const { fetch } = scriptedService(time, responses.codes, token)
  const done = login(file, { clientId: 'my-client-id', fetch, clock: time.clock() })
  await time.advance(6000)
  await done
  return file
}

function service(...script: Parameters<typeof scriptedService>[1][]) {
  const { fetch, sent } = scriptedService(new VirtualTime(), ...script)
  return { sent, options: { clientId: 'my-client-id', fetch } }
}

test('stores a token in a file that only its owner can read, and uses it from there', async () => {
  const file = await loggedIn(28_800)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual(['token.json'])
  const { sent, options } = service({ login: 'octocat' })
  expect(await whoami(file, options)).toBe('octocat')
  expect(sent).toHaveLength(1)
})

test('refreshes an expired token and stores the new pair before using it', async () => {
  const file = await loggedIn(30)
  const { sent, options } = service(
    { access_token: 'ghu_2', refresh_token: 'ghr_2', expires_in: 28_800 },
    { login: 'octocat' },
  )
  expect(await whoami(file, options)).toBe('octocat')
  expect(sent[0]?.body).toContain('refresh_token=ghr_1')
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
    accessToken: 'ghu_2',
    refreshToken: 'ghr_2',
  })
})

test('requires a new login after a refused refresh token but not after a lost connection', async () => {
  const file = await loggedIn(30)
  const over = service({ error: 'bad_refresh_token' })
  await expect(whoami(file, over.options)).rejects.toThrow('Log in again: my-cli login')
  const busy = service(new Response('{}', { status: 503 }))
  await expect(whoami(file, busy.options)).rejects.toMatchObject({ code: 'refused', status: 503 })
  await expect(whoami(file, service(new TypeError('fetch failed')).options)).rejects.toMatchObject({
    code: 'unreachable',
  })
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ refreshToken: 'ghr_1' })
})
