import { expect, test } from 'vitest'
import type { ResumeRecord } from '../../src/client/options.ts'
import { createPendingLogin } from '../../src/mcp/pending-login.ts'
import { memoryStore } from '../../src/session/index.ts'

const record = (userCode: string) => ({ userCode }) as ResumeRecord

test('a process that lost its claim or its turn changes nothing', async () => {
  const store = memoryStore()
  const [slow, fast] = [0, 0].map(() => createPendingLogin(store, 'login', Date))
  if (!slow || !fast) return
  const lapsed = String(await slow.claim())
  for (let looks = 0; looks < 61; looks += 1) await fast.look()
  const nonce = String(await fast.claim())
  await slow.begin(lapsed, record('SLOW'))
  await slow.release(lapsed)
  expect(await slow.claim()).toBeUndefined()
  await fast.begin(nonce, record('FAST'))
  const state = await slow.look()
  if (state.type !== 'pending') throw new Error(state.type)
  expect(state.login.record).toEqual(record('FAST'))
  const next = await slow.advance(state.login, record('FAST'))
  expect([next?.turn, await fast.advance(state.login, record('FAST'))]).toEqual([1, undefined])
  await slow.end({ ...state.login, id: lapsed }, 'denied')
  expect((await fast.look()).type).toBe('pending')
  await fast.end(state.login, 'denied')
  expect(await slow.look()).toEqual({ type: 'over', code: 'denied' })
})
