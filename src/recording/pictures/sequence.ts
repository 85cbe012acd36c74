import { FONTS, widthOf, wrap } from '../../pictures/measure-text.ts'
import { roleOfName } from '../../pictures/state-roles.ts'
import { box, element, picture, text } from '../../pictures/svg.ts'
import { detailsOf, type Exchange, type Span, type Story } from './story.ts'

/** Pixels. */
const WIDTH = 780
const HEAD = { top: 24, width: 140, height: 40 }
const LINE = 18

/** The lifelines, by their position in pixels. The times stand to the left of them. */
const LINES = { user: 160, device: 404, service: 688 }

type Who = keyof typeof LINES

/** Equal exchanges without a change between them are drawn once. */
interface Repeated {
  readonly at: number
  readonly exchange: Exchange
  times: number
  until: number
}

/** A part of the diagram, from top to bottom. */
type Step = { readonly at: number; readonly span: Span } | Repeated

/** Pixels of a wait: for each second unless the longest would then exceed its bound, and at least for its text. */
const WAIT = { second: 4, min: 18, max: 120, width: 10 }

/** What the user decided, by the outcome that says so, and the state of the service after it. */
const DECISIONS = new Map<string, readonly [decision: string, state: string]>([
  ['token', ['approves', 'approved']],
  ['access_denied', ['denies', 'denied']],
])

/** The states of the service that its responses tell. */
const SERVICE_STATES = new Map([
  ['codes', 'undecided'],
  ['token', 'authorized'],
  ['expired_token', 'expired'],
])

/**
 * Draws the messages between user, device and service from top to bottom, each status of the device with the wait in it,
 * and the states of the service. Recordings do not contain the user's decision; it is drawn before the poll that reports it.
 */
export function sequence(story: Story): string {
  const drawn: string[] = []
  const longest = Math.max(...story.spans.map(({ from, to }) => (to - from) / 1000))
  const scale = Math.min(WAIT.second, WAIT.max / longest)
  let y = HEAD.top + HEAD.height + 26

  let told = ''
  /** A time is written once. */
  const drawTime = (from: number, to: number, top: number) => {
    const seconds = new Set([from, to].map((time) => `${(time / 1000).toFixed(1)} s`))
    if ([...seconds].at(-1) === told) return
    told = [...seconds].at(-1) ?? ''
    for (const [index, words] of [...seconds].entries())
      drawn.push(text('text', 66, top - 4 + index * LINE, words, 'end'))
  }

  const drawMessage = (
    [from, to]: readonly [Who, Who],
    bold: string,
    lines: readonly string[],
    kind?: 'response' | 'lost',
  ) => {
    const [start, end] = [LINES[from], LINES[to]]
    const toward = Math.sign(end - start)
    // A message that crosses a lifeline keeps its text beside that line.
    const middle = (start + (from === 'user' ? LINES.device : end)) / 2
    const arrow = y + 14 + lines.length * LINE + (kind === 'lost' ? 14 : 8)
    const lost = (start + end) / 2
    drawn.push(
      text('trigger', middle, y + 10, bold, 'middle'),
      ...lines.map((words, index) => text('text', middle, y + 10 + (index + 1) * LINE, words, 'middle')),
      element('path', {
        class: 'way',
        d: `M${start} ${arrow}H${kind === 'lost' ? lost + 9 : end - toward * 8}`,
        ...(kind && { 'stroke-dasharray': '6 5' }),
      }),
      kind === 'lost'
        ? element(
            'g',
            { class: 'bad' },
            element('path', { class: 'shape', d: `M${lost - 6} ${arrow - 6}l12 12m0-12l-12 12` }),
          )
        : element('path', { class: 'head', d: `M${end} ${arrow}l${-toward * 10} -5v10z` }),
    )
    y = arrow + 18
  }

  const drawPill = (name: string, x: number) => {
    const width = widthOf(name, FONTS.trigger) + 28
    drawn.push(
      element(
        'g',
        { class: roleOfName(name) },
        box('shape', { x: x - width / 2, y, width, height: 28 }, 14),
        text('trigger', x, y + 14, name, 'middle'),
      ),
    )
    y += 28
  }

  const drawSpan = ({ from, to, name, text: words }: Span) => {
    drawTime(from, from, y + 19)
    drawPill(name, LINES.device)
    y += 12
    if (name === 'requested') drawMessage(['device', 'user'], 'shows the code', wrap(words, 210, FONTS.text))
    const seconds = (to - from) / 1000
    if (seconds < 1) return
    const top = y - 8
    const height = Math.max(WAIT.min, seconds * scale)
    const x = LINES.device - WAIT.width / 2
    drawn.push(
      element('g', { class: roleOfName(name) }, box('shape', { x, y: top, width: WAIT.width, height }, 5)),
      text('text', LINES.device + 14, top + height / 2, `${seconds.toFixed(1)} s`),
    )
    y = top + height + 10
  }

  const drawExchange = ({ exchange, times, at, until }: Repeated) => {
    const { request, outcome } = exchange
    const [decision, decided] = DECISIONS.get(outcome ?? '') ?? []
    if (decision && decided) {
      drawMessage(['user', 'service'], decision, ['before the next poll'])
      y -= 6
      drawPill(decided, LINES.service)
      y += 10
    }
    drawTime(at, until, y + 14)
    drawMessage(['device', 'service'], request, times > 1 ? [`${times} times`] : [])
    if (outcome === undefined) return
    const state = SERVICE_STATES.get(outcome)
    if (state) {
      y -= 6
      drawPill(state, LINES.service)
      y += 2
    }
    const details = detailsOf(exchange).flatMap(([name, value]) => (value === '' ? [] : `${name} ${value}`))
    const lines = details.length > 0 ? [details.join(', ')] : []
    drawMessage(['service', 'device'], outcome, lines, outcome === 'no response' ? 'lost' : 'response')
  }

  for (const step of stepsOf(story)) {
    if ('span' in step) drawSpan(step.span)
    else drawExchange(step)
  }
  return picture(
    {
      title: 'A recorded login as a sequence of messages',
      description: `${story.spans.map(({ name }) => name).join(', ')}.`,
      width: WIDTH,
      height: y + 4,
    },
    'auto',
    ...Object.entries(LINES).flatMap(([name, x]) => drawLifeline(name, x, y - 12)),
    ...drawn,
  )
}

/** In the order of their times. A status follows the exchange that led to it. */
function stepsOf({ spans, exchanges }: Story): Step[] {
  const all = [
    ...exchanges.map((exchange) => ({ at: exchange.from, rank: 0, exchange })),
    ...spans.map((span) => ({ at: span.from, rank: span.after === undefined ? -1 : 1, span })),
  ].sort((a, b) => a.at - b.at || a.rank - b.rank)
  const steps: Step[] = []
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

function drawLifeline(name: string, x: number, bottom: number): string[] {
  const { top, width, height } = HEAD
  return [
    element('path', { class: 'way', d: `M${x} ${top + height}V${bottom}`, 'stroke-dasharray': '2 6' }),
    element(
      'g',
      { class: 'over' },
      box('shape', { x: x - width / 2, y: top, width, height }, 12),
      text('name', x, top + height / 2, name, 'middle'),
    ),
  ]
}
