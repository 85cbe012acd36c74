import { describe, expect, test, vi } from 'vitest'
import { createDeviceAuthorization, exportResume, github, type ResumeRecord } from '../../src/index.ts'
import { startFlow } from '../support/flow.ts'
import { responses } from '../support/responses.ts'

const { codes, pending, slowDown, token } = responses

/** A record as another process would read it from a file. */
function recordOf(flow: ReturnType<typeof startFlow>): ResumeRecord {
  const record = exportResume(flow.actor.getSnapshot(), flow.time.now)
  flow.actor.stop()
  return JSON.parse(JSON.stringify(record))
}

describe('an authorization that is resumed', () => {
  test('keeps its deadline, its interval and its margin, and asks for no codes', async () => {
    const first = startFlow([codes, slowDown, pending], { scopes: ['repo'] })
    await first.time.advance(6000)
    const record = recordOf(first)
    expect(record).toMatchObject({ v: 1, status: 'slowed', interval: 10, margin: 1.26, scopes: ['repo'] })
    const second = startFlow([token], { clientId: undefined, resume: record } as never, 1, first.time)
    expect(second.actor.getSnapshot().matches({ waiting: 'slowed' })).toBe(true)
    expect(await second.result()).toMatchObject({ status: 'authorized' })
    expect(second.sent).toHaveLength(1)
    expect(second.sent[0]?.at).toBe(record.nextPollAt)
    expect(second.actor.getSnapshot().context.expiresAt).toBe((first.sent[0]?.at ?? 0) + 900_000)
  })

  test.each(['requested', 'pending', 'slowed'] as const)('resumes in %s', async (status) => {
    const first = startFlow([codes])
    await first.time.settle()
    const actor = createDeviceAuthorization({
      resume: { ...recordOf(first), status },
      clock: first.time.clock(),
    })
    expect(actor.getSnapshot().matches({ waiting: status })).toBe(true)
  })

  test('waits a whole interval where a poll was on its way', async () => {
    const first = startFlow([codes, 'hang'])
    await first.time.advance(7000)
    expect(first.actor.getSnapshot().value).toBe('polling')
    expect(recordOf(first).nextPollAt).toBe(first.time.now + 5250)
  })

  test('past its deadline is expired without a request, and shows no codes', async () => {
    const first = startFlow([codes])
    await first.time.settle()
    const onCodes = vi.fn()
    const resume = { ...recordOf(first), expiresAt: 1 }
    const second = startFlow([token], { clientId: undefined, resume, onCodes } as never)
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
    const first = startFlow([codes])
    await first.time.settle()
    const resume = { ...recordOf(first), ...damage } as ResumeRecord
    expect(() => createDeviceAuthorization({ resume })).toThrow(
      expect.objectContaining({ code: 'bad_resume', message: expect.stringContaining(field) }),
    )
  })

  test('resumes from a record with the smallest interval and the largest margin', async () => {
    const first = startFlow([codes])
    await first.time.settle()
    const resume = { ...recordOf(first), interval: 1, margin: 2, nextPollAt: first.time.now }
    const second = startFlow([pending, token], { clientId: undefined, resume } as never)
    await second.result()
    expect(second.gaps()).toEqual([2])
  })

  test.each([null, 5, 'text', [], {}])('cannot resume from %j, and quotes nothing of it', (resume) => {
    expect(() => createDeviceAuthorization({ resume: resume as never })).toThrow(
      expect.objectContaining({ code: 'bad_resume' }),
    )
  })

  test('never polls below the interval, whatever margin the record says', async () => {
    const first = startFlow([{ ...codes, expires_in: 60 }])
    await first.time.settle()
    const resume = {
      ...recordOf(first),
      margin: 1,
      expiresAt: first.time.now + 11_000,
      nextPollAt: first.time.now + 5000,
    }
    const second = startFlow([pending, token], { clientId: undefined, resume } as never)
    await second.result()
    expect(second.gaps()).toEqual([5])
  })

  test('lets a request take a quarter of the lifetime that the codes had at first', async () => {
    const first = startFlow([{ ...codes, expires_in: 60 }, pending])
    await first.time.advance(6000)
    const resume = recordOf(first)
    const second = startFlow(['hang', token], { clientId: undefined, resume } as never, 1, first.time)
    await second.result()
    expect(second.gaps()).toEqual([15 + 10.5])
  })

  test('shows its codes again', async () => {
    const first = startFlow([codes, slowDown])
    await first.time.advance(6000)
    const shown: unknown[] = []
    const resume = recordOf(first)
    const clock = first.time.clock()
    const second = createDeviceAuthorization({ resume, clock, onCodes: (codes) => shown.push(codes) }).start()
    const { userCode, verificationUri, expiresAt } = resume
    expect(shown).toEqual([{ userCode, verificationUri, expiresAt, interval: 10 }])
    second.stop()
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
    const first = startFlow([codes])
    await first.time.settle()
    const resume = recordOf(first)
    expect(() =>
      createDeviceAuthorization({ resume, provider: github({ authUrl: 'https://evil.example' }) }),
    ).toThrow(expect.objectContaining({ code: 'wrong_host' }))
  })
})
