import { getEventListeners } from 'node:events'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Clock, createDeviceAuthorization, github } from '../../src/index.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { expectNothingQuoted, untilTrue } from '../support/hostile-flow.ts'
import {
  cutShort,
  halfThenSilence,
  hangUp,
  hostileServer,
  type Line,
  later,
  raw,
  reset,
  respond,
  silence,
} from '../support/hostile-server.ts'
import { responses } from '../support/responses.ts'

/** Request timeout in milliseconds. */
const REQUEST_TIMEOUT = 30_000

/** Milliseconds after which the device no longer waits for a response. */
const NEVER = 50_000

/** Tolerance for sums of fractions, in milliseconds. */
const ROUNDING = 0.01

/** A poll response and its effect on the device. */
type Step =
  | { readonly type: 'pending'; readonly status: number }
  | { readonly type: 'slow_down'; readonly status: number; readonly interval: unknown }
  | { readonly type: 'busy'; readonly retryAfter: number }
  | { readonly type: keyof typeof BROKEN | keyof typeof LAST }

const BROKEN = {
  reset,
  hangUp,
  silence,
  halfThenSilence,
  page: respond({ status: 502, body: '<html>Bad gateway of the provider</html>' }),
  cutShort: cutShort('{"access_token":"cut-short'),
  noHttp: raw('SSH-2.0-another-protocol\r\n'),
  noResponse: respond({ body: [] }),
} satisfies Record<string, Line>

const LAST = {
  token: { line: responses.token, outcome: 'authorized' },
  denied: { line: responses.denied, outcome: 'denied' },
  expired: { line: responses.expired, outcome: 'expired' },
  refused: { line: { error: 'unsupported_grant_type' }, outcome: 'failed' },
} satisfies Record<string, { line: Line; outcome: string }>

const status = fc.constantFrom(200, 400, 429)

const passing: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('pending' as const), status }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('slow_down' as const),
      status,
      interval: fc.constantFrom(undefined, 1, 7, '12', 20, -1, 'x', null),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('busy' as const), retryAfter: fc.nat(40) }) },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constantFrom(...(Object.keys(BROKEN) as (keyof typeof BROKEN)[])) }),
  },
)

const last: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constantFrom(...(Object.keys(LAST) as (keyof typeof LAST)[])) }),
  passing,
)

/** Seconds before a response. */
const delay = fc.oneof({ weight: 6, arbitrary: fc.constant(0) }, fc.nat(20), fc.constant(50))

const service = fc.record({
  interval: fc.constantFrom(undefined, null, 0, 1, 2, '3', 5, 12),
  lifetime: fc.integer({ min: 0, max: 240 }),
  codesDelay: fc.nat(20),
  steps: fc.array(fc.record({ step: passing, delay }), { maxLength: 10 }),
  last: fc.record({ step: last, delay }),
})

const device = fc.record({
  /** Speed of its clock. */
  rate: fc.integer({ min: 80, max: 130 }).map((percent) => percent / 100),
  /** How early its timers fire, in milliseconds. */
  early: fc.constantFrom(0, 0.3, 0.9),
  random: fc.constantFrom(0, 0.5, 0.999),
})

/** What the protocol requires of the device, computed independently on the device's clock. */
class Rules {
  /** Minimum seconds between two polls. */
  interval: number
  /** No poll may be sent before this time, nor at or after `deadline`. */
  allowedAt = 0
  deadline = Number.POSITIVE_INFINITY
  outcome = 'expired'
  #lifetime = 0
  readonly broken: string[] = []

  constructor(interval: unknown) {
    this.interval = interval === undefined || interval === null ? 5 : Math.max(1, Number(interval))
  }

  sent(index: number, now: number, lifetime: number): void {
    this.#lifetime = lifetime * 1000
    if (index === 0) this.deadline = now + this.#lifetime
    else if (now < this.allowedAt - ROUNDING)
      this.broken.push(`poll ${index}: ${this.allowedAt - now} ms early`)
    else if (now >= this.deadline) this.broken.push(`poll ${index} after the deadline`)
    // While there is no response.
    this.wait(now)
  }

  /** The codes cannot be older than the request may take: beyond that, the clock must have been set. */
  codesCome(now: number): void {
    const oldest = Math.min(REQUEST_TIMEOUT, this.#lifetime / 4)
    this.deadline = Math.max(this.deadline, now - oldest + this.#lifetime)
    this.wait(now)
  }

  responded(step: Step, now: number): void {
    if (step.type === 'slow_down') {
      const told = Number(step.interval ?? 0)
      this.interval = Math.max(this.interval + 5, Number.isNaN(told) ? 0 : told)
    }
    this.wait(now, step.type === 'busy' ? step.retryAfter : 0)
    if (step.type in LAST) this.outcome = LAST[step.type as keyof typeof LAST].outcome
  }

  wait(now: number, retryAfter = 0): void {
    this.allowedAt = now + Math.max(this.interval, retryAfter) * 1000
  }
}

function lineOf(step: Step): Line {
  switch (step.type) {
    case 'pending':
      return respond({ status: step.status, body: responses.pending })
    case 'slow_down':
      return respond({ status: step.status, body: { error: 'slow_down', interval: step.interval } })
    case 'busy':
      return respond({ status: 503, headers: { 'retry-after': String(step.retryAfter) } })
    default:
      return step.type in LAST
        ? LAST[step.type as keyof typeof LAST].line
        : BROKEN[step.type as keyof typeof BROKEN]
  }
}

function clockOf(time: VirtualTime, rate: number, early: number): Clock {
  const clock = time.clock(rate)
  // At least a little, or a timer that is always early would stop the time.
  return { ...clock, setTimeout: (callback, delay) => clock.setTimeout(callback, Math.max(1, delay - early)) }
}

test('whatever a service does, the device never polls too early, sends one request at a time, ends by the deadline and leaves nothing running', async () => {
  await fc.assert(
    fc.asyncProperty(service, device, async (service, { rate, early, random }) => {
      const time = new VirtualTime()
      const clock = clockOf(time, rate, early)
      const rules = new Rules(service.interval)
      const pollTimeout = Math.min(REQUEST_TIMEOUT, service.lifetime * 250)
      const server = await hostileServer(
        (_, index) => {
          rules.sent(index, clock.now(), service.lifetime)
          if (index === 0) {
            const codes = { ...responses.codes, interval: service.interval, expires_in: service.lifetime }
            return later(time, service.codesDelay * 1000, (exchange) => {
              rules.codesCome(clock.now())
              return respond({ body: codes })(exchange)
            })
          }
          const { step, delay } = service.steps[index - 1] ?? service.last
          const isReceived = delay * 1000 * rate < pollTimeout - 500
          return later(time, isReceived ? delay * 1000 : NEVER, (exchange) => {
            rules.responded(step, clock.now())
            const line = lineOf(step)
            return (typeof line === 'function' ? line : respond({ body: line }))(exchange)
          })
        },
        { now: () => time.now, keepAlive: false },
      )
      const { signal } = new AbortController()
      const actor = createDeviceAuthorization({
        clientId: 'id',
        provider: github({ authUrl: server.url }),
        clock,
        fetch: server.through(time),
        random: () => random,
        signal,
      })
      let endedAt = Number.POSITIVE_INFINITY
      actor.subscribe({
        next: ({ context }) => expectNothingQuoted(context.error, server.bodies),
        complete: () => {
          endedAt = clock.now()
        },
      })
      actor.start()

      await time.until(() => actor.getSnapshot().status === 'done', 1e7)

      expect(rules.broken).toEqual([])
      expect(actor.getSnapshot().output?.status).toBe(rules.outcome)
      expect(server.mostAtOnce()).toBe(1)
      expect(endedAt).toBeLessThanOrEqual(rules.deadline + REQUEST_TIMEOUT + 2)
      const sent = server.sent.length
      // Responses that arrive after the device stopped waiting.
      await time.advance(3_600_000)
      expect(server.sent).toHaveLength(sent)
      expect(time.timers).toBe(0)
      expect(getEventListeners(signal, 'abort')).toEqual([])
      await untilTrue(() => server.used.size === 0)
      server.close()
    }),
    { numRuns: 40 },
  )
})
