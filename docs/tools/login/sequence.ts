import { detailsOf, type Exchange, type Span, type Story } from '../../../src/recording/story.ts'
import { drawSequence, type Step } from '../draw-sequence.ts'

/** Equal exchanges without a change between them are drawn once. */
interface Repeated {
  readonly at: number
  readonly exchange: Exchange
  times: number
  until: number
}

/** What happened, in the order of the times. */
type Happening = { readonly at: number; readonly span: Span } | Repeated

/** Pixels of a wait: for each second unless the longest would then exceed its bound, and at least for its text. */
const WAIT = { second: 4, min: 18, max: 120 }

/** What the user decided, by the outcome that says so, and the state of the service after it. */
const DECISIONS = new Map<string, readonly [decision: string, state: string]>([
  ['token', ['approves', 'approved']],
  ['access_denied', ['denies', 'denied']],
])

/** The states of the service that its responses tell. */
const SERVICE_STATES = new Map([
  ['codes', 'requested'],
  ['pending', 'pending'],
  ['slow_down', 'slowed'],
  ['token', 'authorized'],
  ['expired_token', 'expired'],
])

/**
 * Draws the messages between user, device and service from top to bottom, each status of the device with the wait in it,
 * and the states of the service. Recordings do not contain the user's decision; it is drawn before the poll that reports it.
 */
export function sequence(story: Story, form: 'wide' | 'narrow'): string {
  const longest = Math.max(...story.spans.map(({ from, to }) => (to - from) / 1000))
  const scale = Math.min(WAIT.second, WAIT.max / longest)
  let told = ''
  /** A time is written once. */
  const timesOf = (from: number, to: number): string[] => {
    const seconds = new Set([from, to].map((time) => `${(time / 1000).toFixed(time < 100_000 ? 1 : 0)} s`))
    const last = [...seconds].at(-1) ?? ''
    if (last === told) return []
    told = last
    return [...seconds]
  }
  let service = ''
  /** A state of the service is drawn when it is entered. */
  const stepsInto = (state: string | undefined): Step[] => {
    if (state === undefined || state === service) return []
    service = state
    return [{ kind: 'state', of: 'service', name: state }]
  }

  const stepsOfSpan = ({ from, to, name, text }: Span): Step[] => {
    const seconds = (to - from) / 1000
    const wait = `${seconds.toFixed(1)} s`
    return [
      { kind: 'state', of: 'device', name, at: timesOf(from, from) },
      ...(name === 'requested' ? [shownCode(text)] : []),
      ...(seconds < 1
        ? []
        : [{ kind: 'wait', name: wait, state: name, height: Math.max(WAIT.min, seconds * scale) } as const]),
    ]
  }

  const stepsOfExchange = ({ exchange, times, at, until }: Repeated): Step[] => {
    const { request, outcome = '' } = exchange
    const [method = '', path = ''] = form === 'narrow' ? request.split(' ') : [request]
    const repeated = times > 1 ? `${times} times` : ''
    const [decision, decided] = DECISIONS.get(outcome) ?? []
    const details = detailsOf(exchange).flatMap(([name, value]) => (value === '' ? [] : `${name} ${value}`))
    const decides: Step[] = decision
      ? [{ kind: 'message', from: 'user', to: 'service', name: decision, text: 'before the next poll' }]
      : []
    const response: Step = {
      ...{ kind: 'message', from: 'service', to: 'device', name: outcome, text: details.join(', ') },
      form: outcome === 'no response' ? 'lost' : 'response',
    }
    return [
      ...decides,
      ...stepsInto(decided),
      {
        ...{ kind: 'message', from: 'device', to: 'service', name: method, at: timesOf(at, until) },
        text: `${path} ${repeated}`.trim(),
      },
      ...stepsInto(SERVICE_STATES.get(outcome)),
      ...(outcome === '' ? [] : [response]),
    ]
  }

  const description = `${story.spans.map(({ name }) => name).join(', ')}.`
  const steps = happeningsOf(story).flatMap((one) =>
    'span' in one ? stepsOfSpan(one.span) : stepsOfExchange(one),
  )
  return drawSequence(
    { title: 'A recorded login as a sequence of messages', description, steps },
    'auto',
    form === 'wide' ? 'timed' : 'narrowTimed',
  )
}

function shownCode(text: string): Step {
  const words = text.replace('https://', '')
  return { kind: 'message', from: 'device', to: 'user', name: 'shows the code', text: words }
}

/** In the order of their times. A status follows the exchange that led to it. */
function happeningsOf({ spans, exchanges }: Story): Happening[] {
  const all = [
    ...exchanges.map((exchange) => ({ at: exchange.from, rank: 0, exchange })),
    ...spans.map((span) => ({ at: span.from, rank: span.after === undefined ? -1 : 1, span })),
  ].sort((a, b) => a.at - b.at || a.rank - b.rank)
  const steps: Happening[] = []
  for (const step of all) {
    const last = steps.at(-1)
    if ('span' in step) steps.push(step)
    else if (last && 'exchange' in last && isEqual(last.exchange, step.exchange)) {
      last.times += 1
      last.until = step.at
    } else steps.push({ ...step, times: 1, until: step.at })
  }
  return steps
}

function isEqual(one: Exchange, other: Exchange): boolean {
  return one.request === other.request && one.outcome === other.outcome
}
