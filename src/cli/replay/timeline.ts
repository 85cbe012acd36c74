import { escapeHtml } from '../../service/pages/escape-html.ts'
import type { Exchange, Span, Story } from './story.ts'
import {
  element,
  LETTER,
  page,
  REDUCED_MOTION,
  roleOf,
  shownBetween,
  type Timing,
  text,
  timingOf,
} from './svg.ts'

/** Pixels. */
const WIDTH = 960
const LEFT = 84
const RIGHT = 24
/** Where the time ends. The result stands to its right. */
const END = WIDTH - RIGHT - 104
const DEVICE = { top: 92, height: 34 }
const SERVICE = { top: 206, height: 10 }
const AXIS = 262
const HEIGHT = 290

/** Pixels that a message moves to the right on its way, so that its direction is seen. */
const LEAN = 7

/** Steps of the time axis in seconds. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600]

/** What is still to come can be read, and a failure stands out from the start. */
const STYLE =
  '.faint>*{opacity:.65}.faint>.bad{opacity:1}.caption{font-size:22px;font-weight:700}.small{font-size:12px}.lane{font-size:13px;font-weight:700}' +
  '.inbar{font-size:13px;font-weight:700}.wire{fill:none;stroke-width:1.6}' +
  `text{dominant-baseline:auto}${REDUCED_MOTION}`

/**
 * Draws a login on a time axis: the device and its status, the service, and the messages between them. The picture plays
 * the login without a script, and shows all of it where animations are not supported.
 *
 * @param colors The style sheet of the pictures of machines.
 */
export function timeline(story: Story, colors: string): string {
  const timing = timingOf(story.length)
  const x = (moment: number) => LEFT + (moment / (story.length || 1)) * (END - LEFT)
  const drawing = [
    ...story.spans.map((span, index) => drawSpan(span, x, index === story.spans.length - 1)),
    drawService(),
    ...drawExchanges(story.exchanges, x),
  ].join('')
  const captions = story.spans.map((span, index) => drawCaption(span, index, story, timing))
  const duration = `${timing.round}ms linear infinite`
  const end = timing.percentAt(story.length)
  const animations =
    `@keyframes seen{0%{transform:scaleX(${LEFT / WIDTH})}${end}%{transform:scaleX(${END / WIDTH})}${end + 0.01}%,100%{transform:none}}.seen{animation:seen ${duration}}` +
    `@keyframes head{0%{transform:translateX(${LEFT - END}px)}${end}%,100%{transform:none}}.playhead{animation:head ${duration}}` +
    captions.map(({ style }) => style).join('')
  return page(
    ['A recorded login', summary(story)],
    [WIDTH, HEIGHT],
    colors + element('style', {}, STYLE + animations),
    ...captions.map(({ part }) => part),
    text('device', 20, DEVICE.top + 22, { class: 'name lane' }),
    text('service', 20, SERVICE.top + 10, { class: 'name lane' }),
    ...drawAxis(story.length, x),
    element('g', { class: 'faint' }, drawing),
    element('clipPath', { id: 'played' }, element('rect', { class: 'seen', width: WIDTH, height: HEIGHT })),
    element('g', { 'clip-path': 'url(#played)' }, drawing),
    element('path', {
      class: 'way playhead',
      d: `M${END} ${DEVICE.top - 12}V${SERVICE.top + SERVICE.height + 4}`,
    }),
  )
}

function summary({ spans, exchanges, length }: Story): string {
  const requests = exchanges.length === 1 ? '1 request' : `${exchanges.length} requests`
  return `${spans.map(({ name }) => name).join(', ')}: ${requests} in ${(length / 1000).toFixed(1)} seconds.`
}

function drawSpan({ from, to, name }: Span, x: (moment: number) => number, isLast: boolean): string {
  const words = name.length * LETTER * 1.15 + 12
  // The result has no length.
  const right = isLast ? WIDTH - RIGHT : x(to)
  const left = x(from)
  const width = right - left - 2
  if (width < 4) return ''
  return element(
    'g',
    { class: roleOf(name) },
    element('rect', { class: 'shape', x: left, y: DEVICE.top, width, height: DEVICE.height, rx: 8 }),
    ...(width < words
      ? []
      : [text(name, left + width / 2, DEVICE.top + 22, { class: 'name inbar', 'text-anchor': 'middle' })]),
  )
}

/** Draws messages. An outcome that would cover the one before it is left out. */
function drawExchanges(exchanges: readonly Exchange[], x: (moment: number) => number): string[] {
  let covered = 0
  return exchanges.map(({ from, to, outcome = '' }) => {
    const sent = x(from)
    const arrived = Math.max(x(to), sent + 2 * LEAN)
    const width = outcome.length * LETTER
    const middle = Math.min(Math.max(sent + LEAN, LEFT + width / 2), WIDTH - RIGHT - width / 2)
    const isShown = middle - width / 2 >= covered
    if (isShown) covered = middle + width / 2 + 6
    const isLost = outcome === 'no response'
    const [device, service] = [DEVICE.top + DEVICE.height + 2, SERVICE.top - 2]
    const down = `M${at(sent, device)}L${at(sent + LEAN, service)}`
    const up = isLost
      ? cross(sent + LEAN * 1.5, (device + service) / 2)
      : `M${at(arrived - LEAN, service)}L${at(arrived, device)}`
    return element(
      'g',
      { class: roleOfOutcome(outcome) },
      element('path', { class: 'way wire', d: down }),
      element('path', { class: 'head', d: `M${at(sent + LEAN, service)}l-4.5 -8h8z` }),
      ...(outcome ? [element('path', { class: 'shape wire', d: up })] : []),
      ...(outcome && !isLost
        ? [element('path', { class: 'play', d: `M${at(arrived, device)}l-4.5 8h8z` })]
        : []),
      ...(outcome && isShown
        ? [text(outcome, middle, SERVICE.top + 30, { class: 'name small', 'text-anchor': 'middle' })]
        : []),
    )
  })
}

/** Where a message was lost. */
function cross(x: number, y: number): string {
  return `M${at(x - 5, y - 5)}l10 10m0-10l-10 10M${at(x - LEAN / 2, SERVICE.top - 2)}L${at(x, y)}`
}

/** The service, of which a recording knows only the messages. */
function drawService(): string {
  const { top, height } = SERVICE
  const bar = { class: 'shape', x: LEFT, y: top, width: WIDTH - RIGHT - LEFT - 2, height, rx: height / 2 }
  return element('g', { class: 'over' }, element('rect', bar))
}

function at(x: number, y: number): string {
  return `${Math.round(x * 10) / 10} ${y}`
}

function roleOfOutcome(outcome: string): string {
  if (outcome === '') return 'over'
  if (outcome === 'token' || outcome === 'codes') return 'good'
  if (outcome === 'pending') return 'waiting'
  return outcome === 'slow_down' ? 'retrying' : 'bad'
}

/** Draws what a user saw. Where nothing moves, the last caption is shown. */
function drawCaption(
  { from, to, name, text: words }: Span,
  index: number,
  { spans, length }: Story,
  timing: Timing,
) {
  const isLast = index === spans.length - 1
  const shownFor = [timing.percentAt(from), isLast ? 100 : timing.percentAt(Math.min(to, length))] as const
  return {
    part: element(
      'g',
      { class: `c${index} ${roleOf(name)}`, ...(isLast ? {} : { opacity: 0 }) },
      element('circle', { class: 'shape', cx: 30, cy: 39, r: 8 }),
      element(
        'text',
        { x: 48, y: 46 },
        element('tspan', { class: 'name caption' }, escapeHtml(name)),
        element('tspan', { class: 'text', dx: 14 }, escapeHtml(words)),
      ),
    ),
    style:
      shownBetween(`c${index}`, [shownFor], { shown: 'opacity:1', hidden: 'opacity:0' }) +
      `.c${index}{animation:c${index} ${timing.round}ms step-end infinite}`,
  }
}

function drawAxis(length: number, x: (moment: number) => number): string[] {
  const seconds = length / 1000
  const step = STEPS.find((candidate) => seconds / candidate <= 10) ?? Math.ceil(seconds / 10)
  return Array.from({ length: Math.floor(seconds / step) + 1 }, (_, index) =>
    text(`${index * step} s`, x(index * step * 1000), AXIS + 8, {
      class: 'text small',
      'text-anchor': 'middle',
    }),
  )
}
