import { FONTS, widthOf, wrap } from '../../src/pictures/measure-text.ts'
import { roleOfName } from '../../src/pictures/state-roles.ts'
import { box, element, picture, round, type Scheme, text } from '../../src/pictures/svg.ts'

type Who = 'user' | 'device' | 'service'

/** A part of a sequence, from top to bottom. */
export type Step =
  | {
      readonly kind: 'message'
      readonly from: Who
      readonly to: Who
      readonly name: string
      readonly text?: string
      /** Responses are dashed. */
      readonly isResponse?: boolean
    }
  | { readonly kind: 'state'; readonly of: Who; readonly name: string }
  /** The device waits in a state. The height of the bar is in pixels. */
  | { readonly kind: 'wait'; readonly name: string; readonly state: string; readonly height: number }
  | { readonly kind: 'loop'; readonly name: string; readonly steps: readonly Step[] }

/** A sequence of messages between user, device and service. */
export interface Sequence {
  readonly title: string
  readonly description: string
  /** What each of them is, below its name in a wide picture. */
  readonly headings?: Readonly<Record<Who, string>>
  readonly steps: readonly Step[]
}

/** Measures of a picture in pixels. */
interface Measures {
  readonly width: number
  /** The position of each lifeline, and the width of its heading. */
  readonly lines: Readonly<Record<Who, number>>
  readonly head: number
  /** The frame around repeated steps, and where its text begins. */
  readonly loop: { readonly x: number; readonly width: number; readonly words: number }
}

/** For a page and for the screen of a phone. */
const MEASURES = {
  wide: {
    width: 760,
    lines: { user: 112, device: 376, service: 648 },
    head: 168,
    loop: { x: 252, width: 480, words: 392 },
  },
  narrow: {
    width: 358,
    lines: { user: 52, device: 164, service: 304 },
    head: 88,
    loop: { x: 64, width: 288, words: 176 },
  },
} satisfies Record<string, Measures>

/** Pixels: around the picture, of a line of text, of a state, and after each step. */
const MARGIN = 20
const LINE = 18
const PILL = 28
const GAP = 14

/** Pixels at which text wraps, if its lifelines are that far apart. */
const ROOM = 244

/** Padding around text in pixels: to a border, and to a lifeline. */
const EDGE = 8

/** Pixels of the bar of a wait. */
const BAR = 10

/** Draws a sequence of messages. */
export function drawSequence(
  { title, description, headings, steps }: Sequence,
  scheme: Scheme,
  form: keyof typeof MEASURES,
): string {
  const measures: Measures = MEASURES[form]
  const isNarrow = measures.width < MEASURES.wide.width
  const head = { height: headings && !isNarrow ? 68 : 40, texts: isNarrow ? undefined : headings }
  const { parts, bottom } = drawSteps(steps, MARGIN + head.height + 28, measures)
  const height = bottom - GAP + MARGIN
  return picture(
    { title, description, width: measures.width, height },
    scheme,
    ...Object.entries(measures.lines).map(([who, x]) => {
      const [top, width] = [MARGIN + head.height, measures.head]
      const words = head.texts?.[who as Who]
      return element(
        'g',
        { class: 'over' },
        element('path', { class: 'way life', d: `M${x} ${top}V${height - 8}`, 'stroke-dasharray': '2 6' }),
        box('shape', { x: x - width / 2, y: MARGIN, width, height: head.height }, 12),
        text(
          'name',
          x,
          MARGIN + (words ? 25 : head.height / 2),
          who[0]?.toUpperCase() + who.slice(1),
          'middle',
        ),
        ...(words ? [text('text', x, MARGIN + 48, words, 'middle')] : []),
      )
    }),
    ...parts,
  )
}

/** What is drawn, and where the next step begins. */
interface Drawn {
  readonly parts: readonly string[]
  readonly bottom: number
}

function drawSteps(steps: readonly Step[], top: number, measures: Measures): Drawn {
  let bottom = top
  const parts = steps.flatMap((step) => {
    const drawn = drawStep(step, bottom, measures)
    bottom = drawn.bottom
    return drawn.parts
  })
  return { parts, bottom }
}

function drawStep(step: Step, top: number, measures: Measures): Drawn {
  switch (step.kind) {
    case 'message':
      return drawMessage(step, top, measures)
    case 'state':
      return drawState(step, top, measures)
    case 'wait':
      return drawWait(step, top, measures)
    case 'loop': {
      const { x, width, words: left } = measures.loop
      const y = top + 6
      const room = Math.min(ROOM, measures.lines.service - left - EDGE)
      const names = wrap(step.name.toUpperCase(), room, FONTS.tag)
      const inside = drawSteps(step.steps, y + 24 + LINE * names.length, measures)
      const parts = [
        box('way frame', { x, y, width, height: inside.bottom - y }, 12),
        ...names.map((line, index) => text('tag', left, y + 12 + LINE * (index + 0.5), line)),
        ...inside.parts,
      ]
      return { parts, bottom: inside.bottom + GAP + 6 }
    }
  }
}

function drawMessage(
  { from, to, name, text: words = '', isResponse }: Extract<Step, { kind: 'message' }>,
  top: number,
  measures: Measures,
): Drawn {
  const { width, lines: places } = measures
  const [start, end] = [places[from], places[to]]
  const toward = Math.sign(end - start)
  // A message that crosses a lifeline has its text before that line.
  const next = from === 'user' ? places.device : end
  const room = Math.min(ROOM, Math.abs(next - start) - 2 * EDGE)
  const lines = [...linesOf(name, room, 'trigger'), ...(words === '' ? [] : linesOf(words, room, 'text'))]
  const widest = Math.max(...lines.map(({ words, kind }) => widthOf(words, FONTS[kind])))
  const middle = Math.min(Math.max((start + next) / 2, widest / 2 + EDGE), width - widest / 2 - EDGE)
  const y = top + LINE * lines.length + 6
  const parts = [
    ...drawWords(lines, middle, top, measures),
    element('path', {
      class: 'way',
      d: `M${start} ${y}H${round(end - toward * 8)}`,
      ...(isResponse && { 'stroke-dasharray': '6 5' }),
    }),
    drawHead(end, y, toward),
  ]
  return { parts, bottom: y + GAP }
}

/** Cuts a text into lines. A path that is too wide loses its beginning, and other words break after an underscore. */
function linesOf(words: string, room: number, kind: 'trigger' | 'text'): Line[] {
  const isWide = (word: string) => widthOf(word, FONTS[kind]) > room
  const narrowed = (word: string): string => {
    const rest = word.indexOf('/', 2)
    if (!isWide(word)) return word
    return rest > 0 ? narrowed(`…${word.slice(rest)}`) : word.replace(/_(?=[^_]*$)/, '_ ')
  }
  const fitting = words.split(' ').map(narrowed).join(' ')
  return wrap(fitting, room, FONTS[kind]).map((line) => ({ words: line, kind }))
}

function drawHead(x: number, y: number, toward: number): string {
  return element('path', { class: 'head', d: `M${x} ${y}l${-toward * 10} -5v10z` })
}

function drawState({ of, name }: Extract<Step, { kind: 'state' }>, top: number, measures: Measures): Drawn {
  const width = widthOf(name, FONTS.trigger) + 28
  const x = measures.lines[of]
  const place = { x: x - width / 2, y: top, width, height: PILL }
  const pill = [box('shape', place, PILL / 2), text('trigger', x, top + PILL / 2, name, 'middle')]
  return {
    parts: [element('g', { class: roleOfName(name) }, ...pill)],
    bottom: top + PILL + GAP,
  }
}

function drawWait(
  { name, state, height }: Extract<Step, { kind: 'wait' }>,
  top: number,
  measures: Measures,
): Drawn {
  const x = measures.lines.device
  const bar = box('shape', { x: x - BAR / 2, y: top - 8, width: BAR, height }, BAR / 2)
  const left = x + BAR / 2 + EDGE
  const lines = wrap(name, measures.lines.service - left - EDGE, FONTS.text)
  const first = top - 8 + (height - LINE * (lines.length - 1)) / 2
  return {
    parts: [
      element('g', { class: roleOfName(state) }, bar),
      ...lines.map((words, index) => text('text', left, first + LINE * index, words)),
    ],
    bottom: top - 8 + height + GAP,
  }
}

/** A line of a text, and its letters. */
interface Line {
  readonly words: string
  readonly kind: 'trigger' | 'text'
}

/** Writes lines around a middle, and hides the part of a lifeline that a word without a break covers. */
function drawWords(lines: readonly Line[], middle: number, top: number, measures: Measures): string[] {
  return lines.flatMap(({ words, kind }, index) => {
    const width = widthOf(words, FONTS[kind])
    const place = { x: middle - width / 2, y: top + LINE * index, width, height: LINE }
    const isOnLine = Object.values(measures.lines).some((x) => x > place.x && x < place.x + width)
    return [
      ...(isOnLine ? [box('paper', place, 4)] : []),
      text(kind, middle, place.y + LINE / 2, words, 'middle'),
    ]
  })
}
