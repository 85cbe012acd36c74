import { FONTS, widthOf, wrap } from '../pictures/measure-text.ts'
import { roleOfName } from '../pictures/state-roles.ts'
import { box, element, picture, text } from '../pictures/svg.ts'
import { REDUCED_MOTION, shownBetween, type Timing, timingOf } from './animate.ts'
import type { Exchange, Span, Story } from './story.ts'

interface Lane {
  readonly top: number
  readonly height: number
}

/** Places in pixels, along the time and across it. */
interface Form {
  readonly width: number
  readonly height: number
  /** Whether the time runs down. */
  readonly isUpright: boolean
  /** Along the time: where it begins and ends, and where the result ends, which has no length. */
  readonly begin: number
  readonly end: number
  readonly close: number
  /** Across the time. */
  readonly device: Lane
  readonly service: Lane
  readonly axis: number
}

const WIDE: Form = {
  width: 830,
  height: 270,
  isUpright: false,
  begin: 84,
  end: 712,
  close: 812,
  device: { top: 86, height: 36 },
  service: { top: 192, height: 12 },
  axis: 246,
}

const NARROW: Form = {
  width: 358,
  height: 470,
  isUpright: true,
  begin: 110,
  end: 410,
  close: 458,
  device: { top: 50, height: 106 },
  service: { top: 226, height: 12 },
  axis: 40,
}

/** Pixels that a message moves along the time on its way, so that its direction is seen. */
const LEAN = 7

/** Pixels of a line of text. */
const LINE = 16

/** Steps of the time axis in seconds. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600]

const STYLE = `.caption{font-size:22px}.wire{fill:none;stroke-width:1.6}${REDUCED_MOTION}`

/**
 * Draws a login on a time axis: the device and its status, the service, and the messages between them. The picture shows
 * all of it, and plays it without a script: a line moves along the time, and the current status stands out.
 */
export function timeline(story: Story, kind: 'wide' | 'narrow'): string {
  const form = kind === 'wide' ? WIDE : NARROW
  const { width, height, isUpright, begin, end, device, service } = form
  const timing = timingOf(story.length)
  const along = (moment: number) => begin + (moment / (story.length || 1)) * (end - begin)
  const spans = story.spans.map((span, index) => drawSpan(span, index, story, along, form))
  const exchanges = drawExchanges(story.exchanges, along, form)
  const captions = story.spans.map((span, index) => drawCaption(span, index, story, timing, form))
  const last = timing.percentAt(story.length)
  const animations =
    `@keyframes head{0%{transform:translateX(${begin - end}px)}${last}%,100%{transform:none}}.playhead{animation:head ${timing.round}ms linear infinite}` +
    captions.map(({ style }) => style).join('')
  const lanes = Object.entries({ device, service }).map(([name, { top, height }]) => {
    const place = isUpright ? begin - 16 : 20 + widthOf(name, FONTS.trigger) / 2
    return label(name, place, top + height / 2, 'trigger', form)
  })
  return picture(
    { title: 'A recorded login', description: summary(story), width, height },
    'auto',
    element('style', {}, STYLE + animations),
    ...captions.map(({ part }) => part),
    ...lanes,
    // Shapes are drawn with the time from left to right.
    element(
      'g',
      isUpright ? { transform: 'matrix(0 1 1 0 0 0)' } : {},
      element('path', {
        class: 'way playhead',
        d: `M${end} ${device.top - (isUpright ? 4 : 12)}V${service.top + service.height + 4}`,
      }),
      ...spans.map(({ bar }) => bar),
      drawService(form),
      ...exchanges.map(({ message }) => message),
    ),
    ...spans.map(({ name }) => name),
    ...exchanges.map(({ name }) => name),
    ...drawAxis(story.length, along, form),
  )
}

/** A text whose middle is at a place along the time and across it. */
function label(
  words: string,
  along: number,
  across: number,
  style: string,
  { isUpright }: Form,
  anchor: 'start' | 'middle' | 'end' = 'middle',
) {
  const [x, y] = isUpright ? [across, along] : [along, across]
  return text(style, x, y, words, anchor)
}

function summary({ spans, exchanges, length }: Story): string {
  const requests = exchanges.length === 1 ? '1 request' : `${exchanges.length} requests`
  return `${spans.map(({ name }) => name).join(', ')}: ${requests} in ${(length / 1000).toFixed(1)} seconds.`
}

function drawSpan(
  { from, to, name }: Span,
  index: number,
  { spans }: Story,
  along: (moment: number) => number,
  form: Form,
): { bar: string; name: string } {
  const { device, close, isUpright } = form
  const needed = isUpright ? LINE : widthOf(name, FONTS.trigger) + 12
  const left = along(from)
  const length = (index === spans.length - 1 ? close : along(to)) - left - 2
  if (length < 4) return { bar: '', name: '' }
  const area = { x: left, y: device.top, width: length, height: device.height }
  return {
    bar: element('g', { class: `b${index} ${roleOfName(name)}` }, box('shape', area, 8)),
    name:
      length < needed ? '' : label(name, left + length / 2, device.top + device.height / 2, 'trigger', form),
  }
}

/** Draws messages. An outcome that would cover the one before it is left out. */
function drawExchanges(
  exchanges: readonly Exchange[],
  along: (moment: number) => number,
  form: Form,
): { message: string; name: string }[] {
  const { begin, close, isUpright } = form
  let covered = 0
  return exchanges.map(({ from, to, outcome = '' }) => {
    const sent = along(from)
    const arrived = Math.max(along(to), sent + 2 * LEAN)
    const length = isUpright ? LINE : widthOf(outcome, FONTS.trigger)
    const middle = Math.min(Math.max(sent + LEAN, begin + length / 2), close - length / 2)
    const isShown = outcome !== '' && middle - length / 2 >= covered
    if (isShown) covered = middle + length / 2 + (isUpright ? 0 : 6)
    const isLost = outcome === 'no response'
    const [device, service] = [form.device.top + form.device.height + 2, form.service.top - 2]
    const down = `M${at(sent, device)}L${at(sent + LEAN, service)}`
    const up = isLost
      ? cross(sent + LEAN * 1.5, (device + service) / 2, service)
      : `M${at(arrived - LEAN, service)}L${at(arrived, device)}`
    return {
      message: element(
        'g',
        { class: roleOfOutcome(outcome) },
        element('path', { class: 'way wire', d: down }),
        element('path', { class: 'head', d: `M${at(sent + LEAN, service)}l-4.5 -8h8z` }),
        ...(outcome ? [element('path', { class: 'shape wire', d: up })] : []),
        ...(outcome && !isLost
          ? [element('path', { class: 'play', d: `M${at(arrived, device)}l-4.5 8h8z` })]
          : []),
      ),
      name: isShown
        ? label(outcome, middle, form.service.top + 22, 'trigger', form, isUpright ? 'start' : 'middle')
        : '',
    }
  })
}

function cross(x: number, y: number, service: number): string {
  return `M${at(x - 5, y - 5)}l10 10m0-10l-10 10M${at(x - LEAN / 2, service)}L${at(x, y)}`
}

/** The service, of which a recording knows only the messages. */
function drawService({ begin, close, service: { top, height } }: Form): string {
  const area = { x: begin, y: top, width: close - begin - 2, height }
  return element('g', { class: 'over' }, box('shape', area, height / 2))
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

/** Draws what a user saw, and lets its status stand out. Where nothing moves, the last caption is shown. */
function drawCaption(
  { from, to, name, text: words }: Span,
  index: number,
  { spans, length }: Story,
  timing: Timing,
  { width }: Form,
) {
  const isLast = index === spans.length - 1
  const shownFor = [timing.percentAt(from), isLast ? 100 : timing.percentAt(Math.min(to, length))] as const
  const during = `${timing.round}ms step-end infinite`
  return {
    part: element(
      'g',
      { class: `c${index} ${roleOfName(name)}`, ...(isLast ? {} : { opacity: 0 }) },
      element('circle', { class: 'shape', cx: 28, cy: 25, r: 8 }),
      text('name caption', 46, 25, `Device: ${name}`),
      ...wrap(words, width - 40, FONTS.text).map((line, number) =>
        text('text', 20, 52 + LINE * number, line),
      ),
    ),
    style:
      shownBetween(`c${index}`, shownFor, { shown: 'opacity:1', hidden: 'opacity:0' }) +
      shownBetween(`b${index}`, shownFor, { shown: 'stroke-width:4', hidden: 'stroke-width:1.75' }) +
      `.c${index}{animation:c${index} ${during}}.b${index}>.shape{animation:b${index} ${during}}`,
  }
}

function drawAxis(length: number, along: (moment: number) => number, form: Form): string[] {
  const seconds = length / 1000
  const step = STEPS.find((candidate) => seconds / candidate <= 10) ?? Math.ceil(seconds / 10)
  const anchor = form.isUpright ? 'end' : 'middle'
  return Array.from({ length: Math.floor(seconds / step) + 1 }, (_, index) =>
    label(`${index * step} s`, along(index * step * 1000), form.axis, 'tag', form, anchor),
  )
}
