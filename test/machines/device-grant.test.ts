import { describe, expect, test } from 'vitest'
import { getInitialSnapshot, transition } from 'xstate'
import { type DeviceGrantEvent, type DeviceGrantInput, deviceGrant } from '../../src/machines.ts'

/** Seconds to the times of the events. */
const at = (seconds: number) => seconds * 1000

const poll = (seconds: number, claim = 'a') => ({ type: 'poll', at: at(seconds), claim }) as const
const approve = (seconds: number) => ({ type: 'approve', at: at(seconds), user: 'octocat' }) as const
const deny = (seconds: number) => ({ type: 'deny', at: at(seconds) }) as const
const issued = (seconds: number, claim = 'a') => ({ type: 'issued', at: at(seconds), claim }) as const
const notIssued = (seconds: number, claim = 'a') => ({ type: 'notIssued', at: at(seconds), claim }) as const

/** Folds events over the machine, through JSON each time, as a store would. */
function fold(events: readonly DeviceGrantEvent[], input: Partial<DeviceGrantInput> = {}) {
  const initial = getInitialSnapshot(deviceGrant, {
    interval: 5,
    leeway: null,
    issuedAt: 0,
    expiresAt: at(900),
    firstPoll: 'free',
    ...input,
  })
  let kept = JSON.stringify({ value: initial.value, context: initial.context })
  const states: unknown[] = []
  for (const event of events) {
    const [{ value, context }] = transition(deviceGrant, deviceGrant.resolveState(JSON.parse(kept)), event)
    kept = JSON.stringify({ value, context })
    states.push(value)
  }
  return { states, ...JSON.parse(kept).context }
}

describe('a grant that is undecided', () => {
  test.each<[string, DeviceGrantEvent[], string[]]>([
    ['is pending after its first poll', [poll(0)], ['pending']],
    ['is slowed by a poll too early', [poll(0), poll(3.9)], ['pending', 'slowed']],
    ['is pending again after a timely poll', [poll(0), poll(1), poll(10)], ['pending', 'slowed', 'pending']],
    ['is slowed again and again', [poll(0), poll(1), poll(2)], ['pending', 'slowed', 'slowed']],
    ['expires at a poll', [poll(900)], ['expired']],
    ['expires at a poll when pending', [poll(1), poll(900)], ['pending', 'expired']],
    ['expires at a poll when slowed', [poll(1), poll(2), poll(900)], ['pending', 'slowed', 'expired']],
    ['expires at an approval', [approve(900)], ['expired']],
    ['expires at an approval when pending', [poll(1), approve(900)], ['pending', 'expired']],
    [
      'expires at an approval when slowed',
      [poll(1), poll(2), approve(900)],
      ['pending', 'slowed', 'expired'],
    ],
    ['expires at a denial', [deny(900)], ['expired']],
    ['expires at a denial when pending', [poll(1), deny(900)], ['pending', 'expired']],
    ['expires at a denial when slowed', [poll(1), poll(2), deny(900)], ['pending', 'slowed', 'expired']],
    ['is approved before any poll', [approve(1)], ['approved']],
    ['is approved when pending', [poll(1), approve(2)], ['pending', 'approved']],
    ['is approved when slowed', [poll(1), poll(2), approve(3)], ['pending', 'slowed', 'approved']],
    ['is denied before any poll', [deny(1)], ['denied']],
    ['is denied when pending', [poll(1), deny(2)], ['pending', 'denied']],
    ['is denied when slowed', [poll(1), poll(2), deny(3)], ['pending', 'slowed', 'denied']],
  ])('%s', (_, events, states) => {
    expect(fold(events).states).toEqual(states)
  })

  test('grows its interval by five with each early poll, and does not move the time of the last one', () => {
    expect(fold([poll(0), poll(1), poll(2)])).toMatchObject({ interval: 15, polledAt: 0 })
    expect(fold([poll(0), poll(1), poll(10)])).toMatchObject({ interval: 10, polledAt: at(10) })
  })

  test('lets a poll come early by a fifth of the interval, and by one second at most', () => {
    expect(fold([poll(0), poll(4)]).states).toEqual(['pending', 'pending'])
    expect(fold([poll(0), poll(3.999)]).states).toEqual(['pending', 'slowed'])
    expect(fold([poll(0), poll(0.8)], { interval: 1 }).states).toEqual(['pending', 'pending'])
    expect(fold([poll(0), poll(0.799)], { interval: 1 }).states).toEqual(['pending', 'slowed'])
  })

  test('is strict without leeway, to the millisecond', () => {
    expect(fold([poll(0), poll(4.999)], { leeway: 0 }).states).toEqual(['pending', 'slowed'])
    expect(fold([poll(0), poll(5)], { leeway: 0 }).states).toEqual(['pending', 'pending'])
  })

  test('may count the first poll from the issue', () => {
    expect(fold([poll(3)], { firstPoll: 'counted' }).states).toEqual(['slowed'])
    expect(fold([poll(5)], { firstPoll: 'counted' }).states).toEqual(['pending'])
  })

  test('lets a steady client that waits as it was told recover', () => {
    expect(fold([poll(0), poll(1), poll(11), poll(21)]).states).toEqual([
      'pending',
      'slowed',
      'pending',
      'pending',
    ])
  })
})

describe('a grant that is decided', () => {
  test.each<[string, DeviceGrantEvent[], string[]]>([
    ['is never throttled', [poll(0), approve(0.1), poll(0.2)], ['pending', 'approved', 'issuing']],
    ['tells of a denial however early', [poll(0), deny(0.1), poll(0.2)], ['pending', 'denied', 'denied']],
    ['cannot be denied once approved', [approve(1), deny(2)], ['approved', 'approved']],
    ['cannot be approved once denied', [deny(1), approve(2)], ['denied', 'denied']],
    [
      'is issued once',
      [approve(1), poll(2), issued(3), poll(9)],
      ['approved', 'issuing', 'authorized', 'authorized'],
    ],
    ['is busy for other polls', [approve(1), poll(2), poll(3, 'b')], ['approved', 'issuing', 'issuing']],
    [
      'is approved again where issuing failed',
      [approve(1), poll(2), notIssued(3)],
      ['approved', 'issuing', 'approved'],
    ],
    [
      'ignores the success of another claim',
      [approve(1), poll(2), issued(3, 'b')],
      ['approved', 'issuing', 'issuing'],
    ],
    [
      'ignores the failure of another claim',
      [approve(1), poll(2), notIssued(3, 'b')],
      ['approved', 'issuing', 'issuing'],
    ],
    ['expires before it is fetched', [approve(1), poll(900)], ['approved', 'expired']],
    ['expires when denied', [deny(1), poll(900)], ['denied', 'expired']],
    [
      'keeps its lease past the end',
      [approve(1), poll(899), poll(901, 'b')],
      ['approved', 'issuing', 'issuing'],
    ],
    [
      'expires once its lease has lapsed',
      [approve(1), poll(899), poll(909, 'b')],
      ['approved', 'issuing', 'expired'],
    ],
  ])('%s', (_, events, states) => {
    expect(fold(events).states).toEqual(states)
  })

  test('knows who approved', () => {
    expect(fold([approve(1)])).toMatchObject({ user: 'octocat' })
  })

  test('gives the lease to the next poll after ten seconds, and takes no token of the first', () => {
    const events = [approve(1), poll(2, 'a'), poll(12, 'b'), issued(13, 'a'), issued(14, 'b')]
    expect(fold(events).states).toEqual(['approved', 'issuing', 'issuing', 'issuing', 'authorized'])
    expect(fold(events.slice(0, 3)).lease).toEqual({ claim: 'b', until: at(22) })
    expect(fold([approve(1), poll(2, 'a'), poll(11.999, 'b')]).lease).toEqual({ claim: 'a', until: at(12) })
  })
})
