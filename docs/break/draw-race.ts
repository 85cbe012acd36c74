import { type Font, widthOf } from '../../src/pictures/measure-text.ts'
import { box, element, text } from '../../src/pictures/svg.ts'
import { type Color, ROLES, type Role } from '../../src/pictures/theme.ts'
import type { Box } from '../tools/places.ts'
import type { Fault } from './faults.ts'
import { APPROVED_AT, type Run } from './race.ts'
import { type Segment, segmentsOf } from './segments.ts'

/** A login in the picture. */
export interface Lane {
  readonly name: string
  /** The version, and how the client is used. */
  readonly version: string
  readonly run: Run
}

/** A drawn race. */
export interface Drawing {
  readonly height: number
  readonly content: readonly string[]
  /** Seconds that its animation takes. */
  readonly playing: number
}

/** A segment and its bar. */
type Area = Segment & Box

/** Pixels. */
const FORMS = {
  wide: { left: 218, right: 156, top: 30, row: 70, bar: 0, height: 30 },
  narrow: { left: 4, right: 4, top: 30, row: 84, bar: 24, height: 30 },
  tall: { left: 190, right: 142, top: 30, row: 108, bar: 0, height: 46 },
}
/** From the bottom of a bar to its polls, and from there to words below them. */
const POLLS = 11
const BELOW = 13
const AXIS = 20

/** Seconds of the axis: at least, and the latest end that it shows. */
const AXIS_SECONDS = { least: 27, most: 100 }

/** The part of the axis that a sleeping laptop takes. */
const SLEEP = 0.1

/** Seconds of a login that the animation shows in a second, and how long it takes at most. */
const SPEED = 2.8
const LONGEST = 9

/** Pixels below which names are above the bars. */
const NARROW = 760

/** Pixels for an error beside the note that nobody polls. */
const LEAST_WORDS = 150

const BOLD: Font = { size: 13, kind: 'bold' }
const NOBODY_POLLS = 'approved, but nobody polls'
const APPROVES = 'the user approves'
const NOT_TO_SCALE = 'Not to scale'

/** The style of a race, in addition to that of all pictures. */
export function raceStyle(colorOf: (color: Color) => string): string {
  const roles = (Object.keys(ROLES) as Role[]).map(
    (role) =>
      `.${role} .words{fill:${colorOf(`${role}-ink`)}}.${role} .poll{fill:${colorOf(`${role}-line`)};stroke:${colorOf(`${role}-line`)}}`,
  )
  return [
    ...roles,
    `.below{paint-order:stroke;stroke:${colorOf('paper')};stroke-width:5}`,
    '.words{font-weight:700}.poll{stroke-width:0}.cross{stroke-width:3;stroke-linecap:round}',
    `.grid{stroke:${colorOf('line')}}.cover{fill:${colorOf('paper')};transform:scaleX(0);transform-box:fill-box;transform-origin:right}`,
    `.approval line{stroke:${colorOf('good-line')};stroke-width:2}.approval rect{fill:${colorOf('good-ink')}}.approval text{fill:${colorOf('paper')};font-weight:700;font-size:12px}`,
    '.cover{animation:uncover var(--playing) linear}@keyframes uncover{from{transform:none}}',
    '.late{animation:appear .2s calc(var(--late)*var(--playing)) backwards}@keyframes appear{from{opacity:0}}',
    '@media(prefers-reduced-motion:reduce){.cover,.late{animation:none}}',
  ].join('')
}

/** The result of a login in words: the first is for its end, the second tells the user. */
export function verdictOf({ outcome, end }: Run): readonly [role: Role, verdict: string, rest: string] {
  const at = `at ${Math.round(end)} s`
  if (outcome === 'ends') return ['bad', `✕ ended ${at}`, 'start again, new code']
  if (outcome === 'second code') return ['retrying', `✓ token ${at}`, 'after a second code']
  return ['good', `✓ token ${at}`, 'same code']
}

/**
 * Draws logins that meet the same fault, one below the other, and plays them once. Without animations it is finished.
 *
 * @param width Pixels.
 * @param isTall Whether there is room for higher bars.
 * @param from The second at which the animation begins. Default: shortly before the fault.
 */
export function drawRace(
  lanes: readonly Lane[],
  fault: Fault,
  width: number,
  isTall = false,
  from = 8,
): Drawing {
  const isNarrow = width < NARROW
  const form = FORMS[isNarrow ? 'narrow' : isTall ? 'tall' : 'wide']
  const polls = form.height + POLLS
  const { approvedAt = APPROVED_AT, restarts = false } = fault
  const last = width - form.right
  const { end, gap, xOf } = scale(lanes, form.left, last)
  const topOf = (lane: number) => form.top + lane * form.row + form.bar
  const bottom = topOf(lanes.length - 1) + polls + BELOW + 7
  const begin = Math.min(from, approvedAt - 2)
  const late = (x: number) => `--late:${Math.max(0, (x - xOf(begin)) / (last - xOf(begin))).toFixed(3)}`

  const bars = lanes.map(({ run }, lane) => {
    const segments = segmentsOf(run, restarts).filter((segment) => segment.from < end)
    const areas = segments.map((segment, index): Area => {
      const x = xOf(segment.from) + 1
      const width = xOf(segments[index + 1]?.from ?? end) - x - 1
      return { ...segment, x, y: topOf(lane), width, height: form.height }
    })
    return {
      shapes: [
        element('path', { class: 'grid', d: `M${form.left} ${topOf(lane) + polls}H${last}` }),
        ...areas.map((area) => element('g', { class: area.role }, box('shape', area, 8))),
        ...run.polls
          .filter(({ at }) => at < end)
          .map(({ at, result }) => drawPoll(xOf(at), topOf(lane) + polls, result)),
      ],
      words: areas.flatMap((area) => wordsIn(area, isNarrow ? undefined : xOf(approvedAt))),
    }
  })
  const words = lanes.flatMap(({ name, version, run }, lane) => {
    const y = topOf(lane) + (form.height - FORMS.wide.height) / 2
    const [role, verdict, rest] = verdictOf(run)
    const isLate = { class: `${role} late`, style: late(Math.min(last, xOf(run.end))) }
    if (isNarrow)
      return [
        text('trigger', form.left, y - 12, name),
        element('g', isLate, text('words', last, y - 12, verdict, 'end')),
      ]
    return [
      text('trigger', 0, y + 9, name),
      text('tag', 0, y + 27, version),
      element('g', isLate, text('words', last + 14, y + 9, verdict), text('tag', last + 14, y + 27, rest)),
    ]
  })
  const cover = {
    class: 'cover',
    x: xOf(begin),
    y: form.top - 4,
    width: last + 2 - xOf(begin),
    height: bottom - form.top + 4,
  }
  return {
    height: bottom + AXIS,
    playing: Math.min(LONGEST, (end - begin) / SPEED),
    content: [
      ...bars.flatMap(({ shapes }) => shapes),
      drawApproval(
        lanes.map((_, lane) => topOf(lane)),
        xOf(approvedAt),
        bottom,
        form.height,
        isNarrow,
        late(xOf(approvedAt)),
      ),
      ...bars.flatMap(({ words }) => words),
      element('rect', cover),
      ...drawAxis(end, xOf, bottom, gap, last),
      ...words,
    ],
  }
}

/** Where the seconds are. A laptop that sleeps takes a fixed part. */
function scale(lanes: readonly Lane[], first: number, last: number) {
  const ends = lanes.map(({ run }) => run.end).filter((end) => end <= AXIS_SECONDS.most)
  const end = Math.max(AXIS_SECONDS.least, ...ends.map((end) => end + 4))
  const gaps = lanes.flatMap(({ run: { gap } }) => (gap && gap[1] - gap[0] > 10 ? [gap] : []))
  const from = Math.max(0, ...gaps.map(([from]) => from))
  const to = gaps.length > 0 ? Math.min(...gaps.map(([, to]) => to)) : from
  const pixels = last - first
  const slept = to > from ? pixels * SLEEP : 0
  const perSecond = (pixels - slept) / (end - (to - from))
  const xOf = (at: number) => {
    if (at <= from) return first + at * perSecond
    if (at < to) return first + from * perSecond + ((at - from) / (to - from)) * slept
    return first + slept + (at - (to - from)) * perSecond
  }
  return { end, gap: [from, to] as const, xOf }
}

/** What is written in a bar: in that of a login which ended, also what the user does not know. */
function wordsIn({ role, words, x, y, width, height }: Area, approval: number | undefined): string[] {
  const middle = y + height / 2
  // In a short bar the words come closer to its ends.
  const inset = role === 'bad' ? 8 : Math.max(1, Math.min(8, Math.floor((width - widthOf(words, BOLD)) / 2)))
  const end = x + width - inset
  const note = widthOf(NOBODY_POLLS, { size: 13, kind: 'regular' })
  const noteAt = approval !== undefined && approval > x ? approval + 8 : end - note
  const isWide = approval !== undefined && noteAt - x >= LEAST_WORDS && noteAt + note <= end
  const hasNote = role === 'bad' && isWide
  const room = (hasNote ? noteAt : end) - x - inset
  // Only errors are long. The pauses of one run differ by little: their words stand all inside or all below.
  const isTight = role === 'over' && inset < 8
  const shown = role === 'bad' || (!isTight && widthOf(words, BOLD) <= room) ? cut(words, room) : ''
  const below = y + height + POLLS + BELOW
  const inWords =
    inset < 8
      ? text('words', x + width / 2, middle, shown, 'middle')
      : text('words', x + inset, middle, shown)
  return [
    ...(shown === '' ? [] : [element('g', { class: role }, inWords)]),
    ...(shown === '' && role === 'over' ? [text('tag below', x + width - 2, below, words, 'end')] : []),
    ...(shown === '' && role === 'retrying' ? [text('tag below', x + 4, below, words)] : []),
    ...(hasNote ? [text('text', noteAt, middle, NOBODY_POLLS)] : []),
  ]
}

/** As much of a text as there is room for. */
function cut(words: string, room: number): string {
  if (widthOf(words, BOLD) <= room) return words
  let length = words.length
  while (length > 0 && widthOf(`${words.slice(0, length)}…`, BOLD) > room) length -= 1
  return length > 4 ? `${words.slice(0, length).trim()}…` : ''
}

function drawPoll(x: number, y: number, result: Run['polls'][number]['result']): string {
  if (result === 'fault')
    return element(
      'g',
      { class: 'bad' },
      element('path', { class: 'poll cross', d: `M${x - 5} ${y - 5}l10 10m0 -10l-10 10` }),
    )
  const role = result === 'token' ? 'good' : result === 'slow_down' ? 'retrying' : 'waiting'
  return element(
    'g',
    { class: role },
    element('circle', { class: 'poll', cx: x, cy: y, r: role === 'waiting' ? 3.5 : 5 }),
  )
}

function drawAxis(
  end: number,
  xOf: (at: number) => number,
  y: number,
  [from, to]: readonly [number, number],
  last: number,
): string[] {
  const step = end > 30 ? 10 : 5
  const ticks = Array.from({ length: Math.ceil(end / step) }, (_, index) => index * step)
  // None stands where a sleeping laptop presses them together.
  const isBroken = to > from
  const lastTick = isBroken ? last - widthOf(NOT_TO_SCALE, { size: 12, kind: 'regular' }) - 16 : last
  const apart = ticks.filter((at) => (at <= from || at >= to) && xOf(at) <= lastTick)
  const broken = [
    text('tag', (xOf(from) + xOf(to)) / 2, y + AXIS / 2, '//', 'middle'),
    text('tag', last, y + AXIS / 2, NOT_TO_SCALE, 'end'),
  ]
  return [
    ...apart.map((at) =>
      text('tag', xOf(at), y + AXIS / 2, at === 0 ? '0 s' : String(at), at === 0 ? 'start' : 'middle'),
    ),
    ...(isBroken ? broken : []),
  ]
}

function drawApproval(
  tops: readonly number[],
  x: number,
  bottom: number,
  height: number,
  isNarrow: boolean,
  style: string,
): string {
  const width = widthOf(APPROVES, { size: 12, kind: 'bold' }) + 16
  // The line passes behind the words in the bars, and on a phone behind the results too.
  const lines = isNarrow
    ? tops.flatMap((top) => [
        [top - 4, top],
        [top + height, top + height + POLLS + 8],
      ])
    : [[20, tops[0]], ...tops.map((top, lane) => [top + height, tops[lane + 1] ?? bottom])]
  return element(
    'g',
    { class: 'approval late', style },
    ...lines.map(([y1, y2]) => element('line', { x1: x, x2: x, y1, y2 })),
    box('label', { x: x - width / 2, y: 2, width, height: 18 }, 9),
    text('', x, 11, APPROVES, 'middle'),
  )
}
