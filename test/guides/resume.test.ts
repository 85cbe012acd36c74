import { createDeviceAuthorization, type ResumeRecord, resumeDeviceAuthorization } from 'authgraph'
import { createService } from 'authgraph/service'
import { expect, test, vi } from 'vitest'
import { waitFor } from 'xstate'
import { logIn } from './resume/log-in.ts'

test('the first example of the guide saves a login, and resumes it', async () => {
  const service = createService({ clients: [{ clientId: 'id', name: 'CLI' }], interval: 1 })
  const { fetch } = service
  const records: (ResumeRecord | undefined)[] = []
  const save = (record: ResumeRecord | undefined) => records.push(record)
  const first = logIn(createDeviceAuthorization({ clientId: 'id', fetch }), save)
  const record = await vi.waitUntil(() => records.at(-1))
  first.stop()
  await service.approve(record.userCode, 'octocat')
  const second = logIn(resumeDeviceAuthorization(record, { fetch }), save)
  await waitFor(second, ({ status }) => status === 'done')
  expect(second.getSnapshot().output?.status).toBe('authorized')
  expect(records.at(-1)).toBeUndefined()
})
