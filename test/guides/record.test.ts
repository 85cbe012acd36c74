import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { authorizeDevice } from '../../src/index.ts'
import { recordLogin } from '../../src/recording/index.ts'
import { createService } from '../../src/service/index.ts'
import { createSandbox } from '../../src/testing/index.ts'
import { recordedLogin } from './record/record-a-login.ts'

test('a listener that throws does not fail the login', async () => {
  const sandbox = createSandbox({ interval: 5 })
  const failing = recordLogin(() => {
    throw new Error('the disk is full')
  }, sandbox.client)
  const login = authorizeDevice({ ...sandbox.client, ...failing, onCodes: () => sandbox.approve() })
  expect(await sandbox.run(login)).toMatchObject({ tokenType: 'bearer' })
})

test('a recorded login writes its events, and no secret', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'authgraph-record-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const clientId = 'client-id-in-the-clear'
  const service = createService({ clients: [{ clientId, name: 'Recorded' }], onWarning: () => undefined })
  vi.stubGlobal('fetch', service.fetch)
  onTestFinished(() => void vi.unstubAllGlobals())
  const actor = recordedLogin(clientId, join(folder, 'login.ndjson'))
  const requested = new Promise<void>((resolve) => {
    actor.subscribe((snapshot) => snapshot.matches({ waiting: 'requested' }) && resolve())
  })
  actor.start()
  await requested
  const deviceCode = actor.getSnapshot().context.codes?.deviceCode.reveal() ?? ''
  actor.stop()
  const text = readFileSync(join(folder, 'login.ndjson'), 'utf8')
  const events = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(events.map(({ type }) => type)).toEqual([
    ...['transition', 'state', 'message', 'message', 'transition', 'state', 'end'],
  ])
  for (const secret of [clientId, deviceCode]) expect(text).not.toContain(secret)
})
