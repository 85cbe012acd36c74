import { describe, expect, test, vi } from 'vitest'
import { exportResume, github, type ResumeRecord, resumeDeviceAuthorization } from '../../src/index.ts'
import { errorWith } from '../support/error-with.ts'
import { recordAfter, resumeFlow, startFlow } from '../support/flow.ts'
import { responses } from '../support/responses.ts'

const { codes, pending, slowDown, token } = responses

describe('an authorization that is resumed', () => {
  test('keeps its deadline, its interval and its margin, and asks for no codes', async () => {
    const { record, time, sent } = await recordAfter(6000, codes, slowDown, pending)
    expect(record).toMatchObject({ v: 1, status: 'slowed', interval: 10, margin: 1.26, scopes: ['repo'] })
    const second = resumeFlow([token], record, time)
    expect(await second.result()).toMatchObject({ status: 'authorized' })
    expect(second.sent).toHaveLength(1)
    expect(second.sent[0]?.at).toBe(record.nextPollAt)
    expect(second.actor.getSnapshot().context.expiresAt).toBe((sent[0]?.at ?? 0) + 900_000)
  })

  test('waits a whole interval where a poll was on its way', async () => {
    const { record, time } = await recordAfter(7000, codes, 'hang')
    expect(record.nextPollAt).toBe(time.now + 5250)
  })

  test('past its deadline is expired without a request, and shows no codes', async () => {
    const { record, time } = await recordAfter(0, codes)
    const onCodes = vi.fn()
    const second = resumeFlow([token], { ...record, expiresAt: time.now }, time, { onCodes })
    expect(await second.result()).toEqual({ status: 'expired' })
    expect(second.sent).toHaveLength(0)
    expect(onCodes).not.toHaveBeenCalled()
  })

  test('has no record before the codes have come, nor after the end', async () => {
    const flow = startFlow([codes, token])
    expect(exportResume(flow.actor.getSnapshot(), 0)).toBeUndefined()
    await flow.result()
    expect(exportResume(flow.actor.getSnapshot(), 0)).toBeUndefined()
  })

  test.each([
    ['of another version', { v: 2 }, '"v"'],
    ['without its device code', { deviceCode: '' }, '"deviceCode"'],
    ['with an interval below one', { interval: 0 }, '"interval"'],
    ['with a time that is none', { nextPollAt: null }, '"nextPollAt"'],
    ['written at a time that is none', { writtenAt: 'now' }, '"writtenAt"'],
    ['with a lifetime below none', { expiresIn: -1 }, '"expiresIn"'],
    ['with a deadline that is none', { expiresAt: Number.POSITIVE_INFINITY }, '"expiresAt"'],
    ['with a margin below one', { margin: 0.5 }, '"margin"'],
    ['with a margin above two', { margin: 2.01 }, '"margin"'],
    ['with a number of faults below none', { faults: -1 }, '"faults"'],
    ['with half a pardon', { forgiven: 0.5 }, '"forgiven"'],
    ['with scopes that are no list', { scopes: 'repo' }, '"scopes"'],
    ['in a state that nobody knows', { status: 'polling' }, '"status"'],
    ['whose user code has terminal escapes', { userCode: 'AB\u001b[2J' }, '"userCode"'],
    ['whose address is a script', { verificationUri: 'javascript:alert(1)' }, '"verificationUri"'],
    [
      'whose complete address is a file',
      { verificationUriComplete: 'file:///x' },
      '"verificationUriComplete"',
    ],
  ])('cannot resume from a record %s', async (_, damage, field) => {
    const { record } = await recordAfter(0, codes)
    const resume = { ...record, ...damage } as ResumeRecord
    expect(() => resumeDeviceAuthorization(resume)).toThrow(errorWith('bad_resume', field))
  })

  test('resumes from a record with the smallest interval and the largest margin', async () => {
    const { record, time } = await recordAfter(0, codes)
    const least = { ...record, interval: 1, margin: 2, nextPollAt: time.now }
    const second = resumeFlow([pending, token], least, time)
    await second.result()
    expect(second.gaps()).toEqual([2])
  })

  test.each([null, 5, 'text', [], {}])('cannot resume from %j, and quotes nothing of it', (resume) => {
    expect(() => resumeDeviceAuthorization(resume as never)).toThrow(errorWith('bad_resume'))
  })

  test('never polls below the interval, whatever margin the record says', async () => {
    const { record, time } = await recordAfter(0, codes)
    const times = { margin: 1, expiresAt: time.now + 11_000, nextPollAt: time.now + 5000 }
    const second = resumeFlow([pending, token], { ...record, ...times }, time)
    await second.result()
    expect(second.gaps()).toEqual([5])
  })

  test('lets a request take a quarter of the lifetime that the codes had at first', async () => {
    const { record, time } = await recordAfter(6000, { ...codes, expires_in: 60 }, pending)
    const second = resumeFlow(['hang', token], record, time)
    await second.result()
    expect(second.gaps()).toEqual([15 + 10.5])
  })

  test('shows its codes again', async () => {
    const { record, time } = await recordAfter(6000, codes, slowDown)
    const onCodes = vi.fn()
    resumeFlow([token], record, time, { onCodes }).actor.stop()
    const { userCode, verificationUri, expiresAt } = record
    expect(onCodes.mock.calls).toEqual([[{ userCode, verificationUri, expiresAt, interval: 10 }]])
  })

  test('can be written down before the poll leaves, so that the end of the process is never too early', async () => {
    const written: [sent: number, nextPollAt: number | undefined][] = []
    const flow = startFlow([codes, token])
    flow.actor.subscribe((snapshot) =>
      written.push([flow.sent.length, exportResume(snapshot, flow.time.now)?.nextPollAt]),
    )
    const { now } = flow.time
    await flow.result()
    expect(written).toEqual([
      [1, now + 5250],
      [1, now + 10_500],
      [2, undefined],
    ])
  })

  test('cannot resume at another service', async () => {
    const { record: resume } = await recordAfter(0, codes)
    const provider = github({ authUrl: 'https://evil.example' })
    expect(() => resumeDeviceAuthorization(resume, { provider })).toThrow(errorWith('wrong_host'))
  })
})
