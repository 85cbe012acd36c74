import { expect, test } from 'vitest'
import type { ResumeRecord } from '../../src/client/options.ts'
import { createPendingLogin } from '../../src/mcp/pending-login.ts'
import { memoryStore } from '../../src/session/index.ts'

const ofProcess = { isGone: () => false, pidOf: (owner: string) => (owner === 'slow' ? 7 : undefined) }

const record = (userCode: string) => ({ userCode }) as ResumeRecord

test('a process that lost its claim or its turn changes nothing', async () => {
  const store = memoryStore()
  const [slow, fast] = ['slow', 'fast'].map((self) =>
    createPendingLogin({ ...store, owners: { self, ...ofProcess } }, 'login', Date),
  )
  if (!slow || !fast) return
  const lookOften = async () => {
    for (let looks = 0; looks < 61; looks += 1) await fast.look()
  }
  await slow.claim()
  await lookOften()
  // Its own claim keeps no process from another one, for which the others wait anew.
  const lapsed = String(await slow.claim())
  expect([await fast.look(), await fast.claim()]).toEqual([{ type: 'starting', pid: 7 }, undefined])
  await lookOften()
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
  const other = { ...state.login, id: lapsed, turn: 1 }
  expect(await slow.advance(other, record('SLOW'))).toBeUndefined()
  await slow.end(other, 'denied')
  expect((await fast.look()).type).toBe('pending')
  await fast.end(state.login, 'denied')
  expect([await slow.look(), await slow.isRemoved()]).toEqual([{ type: 'over', code: 'denied' }, false])
})

test.each([
  ['no claim', 0],
  ['a claim that has lapsed', 1],
])('looks at %s take none from the claim that another process makes', async (_, claims) => {
  const store = memoryStore()
  const [first, second, late] = ['first', 'second', 'late'].map((self) =>
    createPendingLogin({ ...store, owners: { self, ...ofProcess } }, 'login', Date),
  )
  if (claims > 0) await first?.claim()
  for (let looks = 0; looks < 61; looks += 1) await Promise.all([second?.look(), late?.look()])
  expect(await second?.claim()).toBeTypeOf('string')
  expect(await late?.claim()).toBeUndefined()
})
