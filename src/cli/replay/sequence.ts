import type { Exchange, Span, Story } from './story.ts'
import { element, LETTER, page, roleOf, text, wrap } from './svg.ts'

/** Pixels. */
const WIDTH = 780
const HEAD = { top: 24, width: 140, height: 40 }
const LINE = 18

/** The lifelines, by their position in pixels. The times stand to the left of them. */
const LINES = { user: 160, device: 404, service: 688 }

/** A part of the diagram, from top to bottom. */
type Step =
  | { readonly at: number; readonly span: Span }
  /** Equal exchanges without a change between them are drawn once. */
  | { readonly at: number; readonly exchange: Exchange; times: number; until: number }

/** Who decided, by the outcome that says so. */
const DECISIONS: Readonly<Record<string, string>> = { token: 'approves', access_denied: 'denies' }

/**
 * Draws the messages between user, device and service from top to bottom, and each status of the device. Recordings do not
 * contain the user's decision; it is drawn before the poll that reports it.
 *
 * @param colors The style sheet of the pictures of machines.
 */
export function sequence(story: Story, colors: string): string {
  let y = HEAD.top + HEAD.height + 26
  const drawn = stepsOf(story).flatMap((step) => {
    const parts = 'span' in step ? drawSpan(step.span, y) : drawExchange(step, y)
    y = parts.bottom
    return parts.drawn
  })
  return page(
    {
      title: 'A recorded login as a sequence of messages',
      description: `${story.spans.map(({ name }) => name).join(', ')}.`,
      width: WIDTH,
      height: y + 4,
    },
    colors,
    ...Object.entries(LINES).flatMap(([name, x]) => drawLifeline(name, x, y - 12)),
    ...drawn,
  )
}

/** In the order of their times. A status follows the exchange that led to it. */
function stepsOf({ spans, exchanges }: Story): Step[] {
  const all = [
    ...exchanges.map((exchange) => ({
      at: exchange.from,
      rank: 0,
      exchange,
      times: 1,
      until: exchange.from,
    })),
    ...spans.map((span) => ({ at: span.from, rank: span.after === undefined ? -1 : 1, span })),
  ].sort((a, b) => a.at - b.at || a.rank - b.rank)
  const steps: Step[] = []
  for (const step of all) {
    const last = steps.at(-1)
    if (last && 'exchange' in last && 'exchange' in step && isEqual(last.exchange, step.exchange)) {
      last.times += 1
      last.until = step.at
    } else steps.push(step)
  }
  return steps
}

function isEqual(one: Exchange, other: Exchange): boolean {
  return one.request === other.request && one.outcome === other.outcome
}

interface Drawn {
  readonly drawn: readonly string[]
  readonly bottom: number
}

function drawLifeline(name: string, x: number, bottom: number): string[] {
  const { top, width, height } = HEAD
  return [
    element('path', { class: 'way', d: `M${x} ${top + height}V${bottom}`, 'stroke-dasharray': '2 6' }),
    element(
      'g',
      { class: 'over' },
      element('rect', { class: 'shape', x: x - width / 2, y: top, width, height, rx: 12 }),
      text(name, x, top + 26, { class: 'name', 'text-anchor': 'middle' }),
    ),
  ]
}

function drawSpan({ from, name, text: words }: Span, y: number): Drawn {
  const { device } = LINES
  const width = name.length * LETTER * 1.2 + 28
  const status = element(
    'g',
    { class: roleOf(name) },
    element('rect', { class: 'shape', x: device - width / 2, y, width, height: 28, rx: 14 }),
    text(name, device, y + 19, { class: 'trigger', 'text-anchor': 'middle' }),
  )
  const below = y + 28 + 12
  const time = drawTime(from, from, y + 19)
  if (name !== 'requested') return { drawn: [time, status], bottom: below }
  const shown = drawMessage('device', 'user', below, { bold: 'shows the code', lines: wrap(words, 210) })
  return { drawn: [time, status, ...shown.drawn], bottom: shown.bottom }
}

function drawExchange({ exchange, times, at, until }: Extract<Step, { times: number }>, y: number): Drawn {
  const { request, outcome, fields } = exchange
  const shown = fields.filter(([name]) => name === 'interval' || name === 'expires_in' || name === 'scope')
  const details = shown.filter(([, value]) => value !== '').map(([name, value]) => `${name} ${value}`)
  const decision = outcome && DECISIONS[outcome]
  const decided = !decision
    ? { drawn: [], bottom: y }
    : drawMessage('user', 'service', y, { bold: decision, lines: ['before the next poll'] })
  const sent = drawMessage('device', 'service', decided.bottom, {
    bold: request,
    lines: times > 1 ? [`${times} times`] : [],
  })
  const time = drawTime(at, until, decided.bottom + 14)
  const drawn = [...decided.drawn, time, ...sent.drawn]
  if (outcome === undefined) return { drawn, bottom: sent.bottom }
  const response =
    outcome === 'no response'
      ? drawMessage('service', 'device', sent.bottom, { bold: outcome, lines: [], isLost: true })
      : drawMessage('service', 'device', sent.bottom, {
          bold: outcome,
          lines: details.length > 0 ? [details.join(', ')] : [],
          isResponse: true,
        })
  return { drawn: [...drawn, ...response.drawn], bottom: response.bottom }
}

function drawTime(from: number, to: number, y: number): string {
  const seconds = [from, to].map((time) => `${(time / 1000).toFixed(1)} s`)
  return [...new Set(seconds)]
    .map((words, index) => text(words, 66, y + index * LINE, { class: 'text', 'text-anchor': 'end' }))
    .join('')
}

function drawMessage(
  from: keyof typeof LINES,
  to: keyof typeof LINES,
  y: number,
  {
    bold,
    lines,
    isResponse,
    isLost,
  }: {
    readonly bold: string
    readonly lines: readonly string[]
    readonly isResponse?: true
    readonly isLost?: true
  },
): Drawn {
  const [start, end] = [LINES[from], LINES[to]]
  const toward = Math.sign(end - start)
  // A message that crosses a lifeline keeps its text beside that line.
  const middle = (start + (from === 'user' ? LINES.device : end)) / 2
  const arrow = y + 14 + lines.length * LINE + (isLost ? 14 : 8)
  const lost = (start + end) / 2
  return {
    drawn: [
      text(bold, middle, y + 14, { class: 'trigger', 'text-anchor': 'middle' }),
      ...lines.map((words, index) =>
        text(words, middle, y + 14 + (index + 1) * LINE, { class: 'text', 'text-anchor': 'middle' }),
      ),
      element('path', {
        class: 'way',
        d: `M${start} ${arrow}H${isLost ? lost + 9 : end - toward * 8}`,
        ...((isResponse || isLost) && { 'stroke-dasharray': '6 5' }),
      }),
      isLost
        ? element(
            'g',
            { class: 'bad' },
            element('path', { class: 'shape', d: `M${lost - 6} ${arrow - 6}l12 12m0-12l-12 12` }),
          )
        : element('path', { class: 'head', d: `M${end} ${arrow}l${-toward * 10} -5v10z` }),
    ],
    bottom: arrow + 18,
  }
}
