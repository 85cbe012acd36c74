import { expect, test } from 'vitest'
import {
  afterFault,
  afterPending,
  afterResponse,
  afterSlowDown,
  beginPace,
  endBackoff,
  endOfWait,
  isPollDue,
  type Pace,
  pollTimeout,
  readClock,
  waitOf,
} from '../../machines/device-pace.ts'
import { parseDeviceCodes } from '../../src/protocol/device-codes.ts'

/** Codes with this lifetime in seconds. */
function codesFor(expires_in: number) {
  const verification_uri = 'https://github.com/login/device'
  return parseDeviceCodes({ device_code: 'd', user_code: 'U', verification_uri, expires_in, interval: 5 })
}

/** A poll is running that was sent at 10 s, when it was due. The codes expire at 900 s. */
const polling: Pace = {
  codes: codesFor(900),
  interval: 5,
  margin: 1,
  nextPollAt: 10_000,
  expiresAt: 900_000,
  lookedAt: 10_000,
  backoff: 0,
  faults: 0,
}

const timeout = { slow: 'timeout' } as const
const limit = { slow: 'limit' } as const

test.each([
  { name: 'counts the lifetime from its start', sentAt: 1000, at: 3000, expiresAt: 901_000 },
  { name: 'that seems to take an hour took 30 s', sentAt: 0, at: 3_600_000, expiresAt: 4_470_000 },
  { name: 'that seems to end before its start took no time', sentAt: 9000, at: 4000, expiresAt: 904_000 },
])('a request for codes $name', ({ sentAt, at, expiresAt }) => {
  const pace = beginPace({ ...polling, margin: 1.05 }, { codes: codesFor(900), sentAt, at })
  expect(pace).toMatchObject({ interval: 5, lookedAt: at, expiresAt, nextPollAt: at + 5250 })
})

test.each([
  { now: 12_000, times: { lookedAt: 12_000, nextPollAt: 10_000, expiresAt: 900_000 } },
  { now: 7000, times: { lookedAt: 7000, nextPollAt: 7000, expiresAt: 897_000 } },
])('a clock that shows $now ms leads to $times', ({ now, times }) => {
  expect(readClock(polling, now)).toEqual(times)
})

test.each([
  { now: 9999, expiresAt: 900_000, isDue: false },
  { now: 10_000, expiresAt: 900_000, isDue: true },
  { now: 10_000, expiresAt: 10_000, isDue: false },
])('at $now ms, with codes until $expiresAt ms, a poll is due: $isDue', ({ now, expiresAt, isDue }) => {
  expect(isPollDue({ ...polling, expiresAt }, now)).toBe(isDue)
})

test.each([
  { name: 'until the poll', nextPollAt: 15_000, wait: 5000, end: 14_999 },
  { name: 'of whole milliseconds', nextPollAt: 15_000.2, wait: 5001, end: 15_000 },
  { name: 'of one millisecond, which cannot be early', nextPollAt: 10_001, wait: 1, end: 10_001 },
  { name: 'until the codes expire', nextPollAt: 950_000, wait: 890_000, end: 899_999 },
  { name: 'that is over', nextPollAt: 9000, wait: 0, end: 10_000 },
  { name: 'the usual time after faults', nextPollAt: 22_500, backoff: 7500, wait: 5000, end: 14_999 },
  { name: 'then for what they add', nextPollAt: 17_500, backoff: 7500, wait: 7500, end: 17_499 },
  {
    name: 'no longer than a timer',
    nextPollAt: 3e9,
    expiresAt: 4e9,
    wait: 2_147_483_647,
    end: 2_147_493_646,
  },
])('waits $name', ({ wait, end, ...times }) => {
  expect(waitOf({ ...polling, ...times })).toBe(wait)
  expect(endOfWait({ ...polling, ...times })).toBe(end)
})

test.each([
  { lifetime: 900, timeout: 30_000 },
  { lifetime: 120, timeout: 30_000 },
  { lifetime: 60, timeout: 15_000 },
])('a poll of codes for $lifetime s may take $timeout ms', ({ lifetime, timeout }) => {
  expect(pollTimeout({ codes: codesFor(lifetime) })).toBe(timeout)
})

test.each([
  { name: 'counts from the response', pace: {}, at: 11_000, next: 16_000 },
  { name: 'has its margin', pace: { margin: 2 }, at: 11_000, next: 21_000 },
  { name: 'leaves time for a last poll', pace: { margin: 2, expiresAt: 18_500 }, at: 11_000, next: 17_500 },
  { name: 'is never below the interval', pace: { margin: 2, expiresAt: 16_500 }, at: 11_000, next: 16_000 },
  { name: 'may be one that the service asks for', pace: {}, at: 11_000, retryAfter: 40, next: 51_000 },
  // Of the hour that the clock jumped, the poll can have taken 30 s.
  { name: 'survives a clock set forward', pace: {}, at: 3_610_000, next: 3_615_000, expiresAt: 4_470_000 },
  { name: 'survives a clock set back', pace: {}, at: 4000, next: 9000, expiresAt: 894_000 },
])('the wait after a response $name', ({ pace, at, retryAfter, next, expiresAt }) => {
  const until = expiresAt ?? pace.expiresAt ?? 900_000
  const after = { lookedAt: at, nextPollAt: next, backoff: 0, expiresAt: until }
  expect(afterResponse({ ...polling, ...pace }, { at, retryAfter })).toEqual(after)
})

test('codes that a service still knows after their expiry by the clock have the time left as of their poll', () => {
  const late = { ...polling, lookedAt: 1_000_000 }
  expect(afterPending(late, { at: 1_000_000 }).expiresAt).toBe(1_890_000)
  expect(afterSlowDown(late, { at: 1_000_000 }).expiresAt).toBe(1_890_000)
})

test.each([
  {
    name: 'adds five seconds',
    asked: undefined,
    pace: {},
    slower: { interval: 10, margin: 1.2 },
    next: 23_000,
  },
  {
    name: 'takes a longer interval',
    asked: 30,
    pace: {},
    slower: { interval: 30, margin: 1.2 },
    next: 47_000,
  },
  { name: 'ignores a shorter one', asked: 1, pace: {}, slower: { interval: 10, margin: 1.2 }, next: 23_000 },
  {
    name: 'keeps the largest margin',
    asked: undefined,
    pace: { margin: 1.9 },
    slower: { interval: 10, margin: 2 },
    next: 31_000,
  },
])('slow_down $name', ({ asked, pace, slower, next }) => {
  const after = afterSlowDown({ ...polling, ...pace }, { at: 11_000, interval: asked })
  expect(after).toEqual({ ...slower, lookedAt: 11_000, expiresAt: 900_000, nextPollAt: next, backoff: 0 })
})

test.each([
  { name: 'the first one leaves the wait as it is', pace: {}, wait: 5000, backoff: 0 },
  { name: 'the second one in a row adds half', pace: { faults: 1 }, wait: 7500, backoff: 2500 },
  { name: 'so does the third', pace: { faults: 2 }, wait: 11_250, backoff: 6250 },
  { name: 'it grows to half a minute', pace: { faults: 9 }, wait: 30_000, backoff: 25_000 },
  { name: 'a longer wait stays', pace: { faults: 9, interval: 40, margin: 1.1 }, wait: 44_000, backoff: 0 },
  { name: 'jitter spreads what is added', pace: { faults: 1 }, jitter: 1, wait: 8000, backoff: 3000 },
  { name: 'jitter leaves the first wait as it is', pace: {}, jitter: 1, wait: 5000, backoff: 0 },
  { name: 'the service may ask for more', pace: {}, asked: { retryAfter: 100 }, wait: 100_000, backoff: 0 },
  { name: 'a timeout doubles it', pace: {}, jitter: 1, asked: timeout, wait: 10_500, backoff: 5500 },
  { name: 'each further one doubles it', pace: { faults: 1 }, asked: timeout, wait: 20_000, backoff: 15_000 },
  { name: 'a limit doubles it too, and must be kept', pace: {}, asked: limit, wait: 10_000, backoff: 0 },
  { name: 'a last poll fits', pace: { faults: 9, expiresAt: 20_000 }, wait: 8000, backoff: 3000 },
  { name: 'the interval is kept', pace: { faults: 9, expiresAt: 14_000 }, wait: 5000, backoff: 0 },
])('after a fault, $name', ({ pace, jitter = 0, asked, wait, backoff }) => {
  const after = afterFault({ ...polling, ...pace }, { at: 11_000, ...asked }, jitter)
  expect(after).toMatchObject({ nextPollAt: 11_000 + wait, backoff })
  expect(after.faults).toBe(('faults' in pace ? pace.faults : 0) + 1)
})

test('a device that is woken after faults waits no longer than the interval', () => {
  expect(endBackoff({ nextPollAt: 31_000, backoff: 15_000 })).toEqual({ nextPollAt: 16_000, backoff: 0 })
})
