import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createService } from '../../src/service/index.ts'
import { recordedLogin } from './record/record-a-login.ts'

test('a recorded login writes its events, and no secret', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'authgraph-record-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const clientId = 'client-id-in-the-clear'
  const service = createService({ clients: [{ clientId, name: 'Recorded' }], onWarning: () => undefined })
  vi.stubGlobal('fetch', service.fetch)
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
