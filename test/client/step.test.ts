import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import {
  type DeviceLoginStep,
  github,
  type ResumeRecord,
  startDeviceLogin,
  stepDeviceLogin,
} from '../../src/index.ts'
import { createSandbox } from '../../src/testing/index.ts'
import { responses } from '../support/responses.ts'
import { type Scripted, scripted } from '../support/scripted-service.ts'

const { codes, pending, slowDown, token, denied, expired, unknownCode } = responses

/** A login in steps under virtual time. Each record goes through JSON, as it would between two processes. */
function stepped(...script: Scripted[]) {
  const { time, sent, fetch } = scripted(codes, ...script)
  const options = { fetch, clock: time.clock(), random: () => 0 }
  const step = (record: ResumeRecord, more = {}) =>
    stepDeviceLogin(JSON.parse(JSON.stringify(record)), { ...options, ...more })
  /** Moves the clock to the next poll. */
  const due = (record: ResumeRecord) => time.advance(record.nextPollAt - time.now)
  return {
    time,
    sent,
    options,
    start: () => startDeviceLogin({ clientId: 'client-id-in-the-clear', scopes: ['repo'], ...options }),
    step,
    due,
    /** The record of a login whose first poll is due. */
    async startedAndDue() {
      const { record } = await startDeviceLogin({ clientId: 'id', ...options })
      await due(record)
      return record
    },
    /** Takes every step when it is due, and tells what each led to. */
    async toEnd() {
      let login: DeviceLoginStep = await startDeviceLogin({ clientId: 'id', ...options })
      const seen: { status: string; requests: number; wait: number; interval: number | undefined }[] = []
      while ('record' in login) {
        await due(login.record)
        const [before, { nextPollAt }] = [sent.length, login.record]
        login = await step(login.record)
        const { record } = 'record' in login ? login : {}
        const wait = ((record?.nextPollAt ?? nextPollAt) - nextPollAt) / 1000
        seen.push({
          status: login.status,
          requests: sent.length - before,
          wait,
          interval: record?.interval,
        })
      }
      return seen
    },
  }
}

describe('a login in steps', () => {
  test('starts with one request, which brings codes and a record', async () => {
    const { start, sent, time } = stepped()
    const login = await start()
    expect(login).toMatchObject({
      status: 'requested',
      codes: { userCode: codes.user_code, verificationUri: codes.verification_uri, interval: 5 },
      view: { activity: 'waiting', secondsToNextPoll: 6 },
      record: { v: 1, scopes: ['repo'], nextPollAt: time.now + 5250 },
    })
    expect(sent).toHaveLength(1)
    expect(time.timers).toBe(0)
  })

  test('sends nothing before the poll is due, and keeps its time', async () => {
    const { start, step, sent, time } = stepped(token)
    const first = (await start()).record
    await time.advance(5249)
    const login = await step(first)
    expect(login).toMatchObject({ status: 'requested', record: { nextPollAt: first.nextPollAt } })
    expect(sent).toHaveLength(1)
    expect(time.timers).toBe(0)
  })

  test('polls once per call, and continues from the result', async () => {
    const { toEnd, time } = stepped(pending, slowDown, token)
    expect(await toEnd()).toMatchObject([
      { status: 'pending', requests: 1, interval: 5 },
      { status: 'slowed', requests: 1, interval: 10 },
      { status: 'authorized', requests: 1 },
    ])
    expect(time.timers).toBe(0)
  })

  test.each([
    [denied, { status: 'denied' }],
    [expired, { status: 'expired' }],
    [{ error: 'invalid_client' }, { status: 'failed', error: { code: 'refused' } }],
  ])('ends after %j', async (response, end) => {
    const { startedAndDue, step } = stepped(response)
    expect(await step(await startedAndDue())).toMatchObject(end)
  })

  test('ends without a request when the codes have expired', async () => {
    const { start, step, sent, time } = stepped(token)
    const record = (await start()).record
    await time.advance(900_000)
    expect(await step(record)).toEqual({ status: 'expired' })
    expect(sent).toHaveLength(1)
  })

  test('rejects where there are no codes', async () => {
    for (const [response, code] of [
      [{ error: 'unauthorized_client' }, 'forbidden'],
      [{ ...codes, expires_in: 0 }, 'expired'],
    ] as const) {
      await expect(startDeviceLogin(scripted(response).options)).rejects.toMatchObject({ code })
    }
  })

  test('rejects when it is cancelled in the middle of a poll, and the record stays valid', async () => {
    const { startedAndDue, step, sent, time } = stepped('hang', token)
    const record = await startedAndDue()
    const cancel = new AbortController()
    const login = step(record, { signal: cancel.signal })
    login.catch(() => undefined)
    await time.settle()
    expect(sent).toHaveLength(2)
    cancel.abort('enough')
    await expect(login).rejects.toMatchObject({ code: 'cancelled', cause: 'enough' })
    expect(await step(record)).toMatchObject({ status: 'authorized' })
  })

  test('rejects without a request if the signal was aborted before', async () => {
    const { start, step, sent } = stepped(token)
    const login = step((await start()).record, { signal: AbortSignal.abort('enough') })
    await expect(login).rejects.toMatchObject({ code: 'cancelled', cause: 'enough' })
    expect(sent).toHaveLength(1)
  })

  test('waits longer after each fault but the first, even if each poll runs in its own process', async () => {
    const down = new Error('offline')
    const { toEnd } = stepped(down, down, down, down, denied)
    const waits = (await toEnd()).map(({ wait }) => wait)
    expect(waits).toEqual([5.25, 7.875, 11.813, 17.719, 0])
  })

  test('forgives an unknown code twice in all', async () => {
    const steps = await stepped(pending, unknownCode).toEnd()
    expect(steps.map(({ status }) => status)).toEqual(['pending', 'pending', 'pending', 'failed'])
  })
})

describe('save', () => {
  test('gets the time of the next poll before a poll is sent, and the record after it', async () => {
    const { startedAndDue, step, sent } = stepped(pending)
    const record = await startedAndDue()
    const saved: [requests: number, nextPollAt: number][] = []
    await step(record, {
      save: async ({ nextPollAt }: ResumeRecord) => {
        await Promise.resolve()
        saved.push([sent.length, nextPollAt - record.nextPollAt])
      },
    })
    expect(saved).toEqual([
      [1, 5250],
      [2, 5250],
    ])
  })

  test('stops the poll if it rejects, and so does the call', async () => {
    const { startedAndDue, step, sent, time } = stepped(token)
    const record = await startedAndDue()
    const taken = new Error('another process polls')
    await expect(step(record, { save: vi.fn().mockRejectedValueOnce(taken) })).rejects.toBe(taken)
    expect(sent).toHaveLength(1)
    expect(time.timers).toBe(0)
  })

  test('gets the record that it replaces, from which another process may have moved on', async () => {
    const { options, due, sent } = stepped(slowDown)
    let stored: string | undefined
    const saving = {
      ...options,
      save: async (next: ResumeRecord, previous: ResumeRecord | undefined) => {
        if (stored !== (previous && JSON.stringify(previous))) throw new Error('taken')
        stored = JSON.stringify(next)
      },
    }
    const { record } = await startDeviceLogin({ clientId: 'id', ...saving })
    expect(stored).toBe(JSON.stringify(record))
    await due(record)
    const process = () => stepDeviceLogin(JSON.parse(JSON.stringify(record)), saving)
    const [one, other] = await Promise.allSettled([process(), process()])
    expect([one.status, other.status].sort()).toEqual(['fulfilled', 'rejected'])
    expect(sent).toHaveLength(2)
    expect(JSON.parse(stored ?? '')).toMatchObject({ status: 'slowed', interval: 10 })
  })

  test('is called once before a poll that is sent again as JSON', async () => {
    const { startedAndDue, step, sent } = stepped(new Response('', { status: 415 }), pending)
    const record = await startedAndDue()
    const requests: number[] = []
    // That a provider takes JSON only is remembered: the default one serves the tests of other files too.
    await step(record, { provider: github(), save: () => requests.push(sent.length) })
    expect(requests).toEqual([1, 3])
  })
})

test('is never early for the service, whenever the steps are taken', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 9000 }), { maxLength: 30 }), async (pauses) => {
      await using sandbox = createSandbox({ firstPoll: 'counted', leeway: 0 })
      const { client, requests } = sandbox
      let login: DeviceLoginStep = await startDeviceLogin(client)
      for (const pause of pauses) {
        await sandbox.advance(pause / 1000)
        const before = requests.length
        if ('record' in login) login = await stepDeviceLogin(login.record, client)
        expect(requests.length - before).toBeLessThanOrEqual(1)
      }
      expect(requests.map(({ outcome }) => outcome)).not.toContain('slow_down')
      expect(login.status).toMatch(/requested|pending/)
    }),
    { numRuns: 15 },
  )
})
