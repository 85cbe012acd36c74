import { FONTS, widthOf, wrap } from '../../src/pictures/measure-text.ts'
import { groupBy } from './group-by.ts'
import type { Label } from './label.ts'
import type { Shape } from './plan-picture.ts'
import type { Transition } from './read-machine.ts'

/** Pixels between the border of a shape and its content. */
export const PADDING = { x: 14, y: 11 }

/** Line heights in pixels. */
export const LINE = { tag: 16, name: 24, text: 17, sign: 21, label: 18 }

/** Pixels left of text that has a sign before it. */
export const SIGN = 19

/** Pixels left of an initial state, where its arrow begins. */
export const START = 30

/** Pixels of the sign before an item of a list, about. */
const BULLET = 18

/** Pixels between the border of a label and its text. */
export const LABEL_PADDING = { x: 7, y: 2 }

/** Pixels between the text of a label where an arrow begins, and the frame around it. */
const ANYWHERE = 3

/** Height in pixels of a reference to a state. */
export const REFERENCE = 28

/** Diameter in pixels of a history state. */
const HISTORY = 34

/** Pixels at which text wraps: in a state, in one beside others, in one around others, and in a label. */
const ALONE = 215
const BESIDE = 100
const AROUND = 260
const LABEL = 150

/** Lines of a tag, about. */
const TAG_LINES = 2.6

/** Pixels at which the text of a token wraps. */
const TOKEN = 130

type StateShape = Extract<Shape, { kind: 'state' }>

interface Wordy {
  readonly id: string
  readonly name: string
  readonly description?: string
  readonly invokes?: readonly string[]
  readonly written: StateShape['written']
}

/** One line of a label or of what a state does: bold words, and others after them. */
export interface Words {
  readonly bold: string
  readonly rest: string
}

/** A transition that is written into its state. */
export interface Written {
  readonly words: readonly Words[]
  readonly leaves: boolean
  readonly transitions: readonly Transition[]
}

/** What a shape shows, and its size. */
export interface Content {
  readonly width: number
  readonly height: number
  readonly name: string
  readonly lines: readonly string[]
  readonly invokes: readonly string[]
  /** The transitions that are written into the state: each in one line or more. */
  readonly written: readonly Written[]
  /** What is written above a label. */
  readonly tag: readonly string[]
}

const NOTHING = { name: '', lines: [], invokes: [], written: [], tag: [] }

/** Lays out the text of a shape. The text of a state, and what stands below a label, wraps to the `width` of its box in pixels, if given. */
export function contentOf(shape: Shape, shapes: readonly Shape[], width?: number): Content {
  switch (shape.kind) {
    case 'anywhere': {
      const from = shape.from ? fromWords(shape.from) : ''
      const room = width === undefined ? widthOf(from, FONTS.tag) / TAG_LINES : width - 2 * LABEL_PADDING.x
      const tag = from ? wrap(from, Math.max(LABEL, room), FONTS.tag) : []
      const { width: own, height } = labelSize(shape.label)
      const wide = Math.max(...tag.map((line) => widthOf(line, FONTS.tag)), 0) + 2 * LABEL_PADDING.x
      return {
        ...NOTHING,
        tag,
        width: Math.ceil(Math.max(own, wide)),
        height: height + tag.length * LINE.tag + 2 * ANYWHERE,
      }
    }
    case 'reference': {
      const { name } = shape.state
      const width = Math.ceil(widthOf(name, FONTS.trigger)) + 2 * PADDING.x
      return { ...NOTHING, name, width, height: REFERENCE }
    }
    case 'token':
      return wordyContent(shape, width === undefined ? TOKEN : width - 2 * PADDING.x)
    case 'state':
      return shape.state.type === 'history'
        ? { ...NOTHING, name: shape.state.isDeep ? 'H*' : 'H', width: HISTORY, height: HISTORY }
        : stateContent(shape, width === undefined ? roomOf(shape, shapes) : width - 2 * PADDING.x)
  }
}

function fromWords(from: readonly string[]): string {
  return from.length === 0 ? 'from any state' : `from ${from.join(', ')}`
}

function roomOf({ id, state, parent, room = ALONE }: StateShape, shapes: readonly Shape[]): number {
  if (shapes.some((shape) => shape.parent === id)) return AROUND
  if (parent !== '' || state.type === 'final') return BESIDE
  return room
}

function stateContent({ state, written, isInitial }: StateShape, room: number): Content {
  const content = wordyContent({ ...state, written }, room)
  return isInitial ? { ...content, width: content.width + START } : content
}

/** What has a name and, below it, what it means, runs and does. */
function wordyContent({ id, name, description = '', invokes = [], written }: Wordy, room: number): Content {
  const lines = description === '' ? [] : wrap(description, room, FONTS.text)
  const lists = written.flatMap(({ label, target, transitions }) => {
    if (target === id)
      return [...groupBy(label, ({ trigger }) => trigger).values()].map((lines) => ({
        words: lines.length > 1 ? listWords(lines, room - SIGN) : wordsOf(lines, room - SIGN),
        leaves: false,
        transitions,
      }))
    const condition = label.map((line) => `${line.trigger} ${line.condition}`.trim()).join(', ')
    return [{ words: wordsOf([{ trigger: target, condition }], room - SIGN), leaves: true, transitions }]
  })
  const words = lists.flatMap((list) => list.words)
  const width = Math.max(
    widthOf(name, FONTS.name),
    ...lines.map((line) => widthOf(line, FONTS.text)),
    ...invokes.map((id) => widthOf(id, FONTS.text) + SIGN),
    ...words.map((line) => widthOfWords(line) + SIGN),
  )
  const height =
    LINE.name +
    lines.length * LINE.text +
    invokes.length * LINE.sign +
    words.length * LINE.text +
    lists.length * (LINE.sign - LINE.text)
  return {
    ...NOTHING,
    name,
    lines,
    invokes,
    written: lists,
    width: Math.ceil(width) + 2 * PADDING.x,
    height: height + 2 * PADDING.y,
  }
}

/** One trigger, and a list of its conditions. */
function listWords(lines: Label, room: number): Words[] {
  const items = lines.flatMap(({ condition }) =>
    wrap(condition, room - BULLET, FONTS.text).map((rest, index) =>
      index === 0 ? `· ${rest}` : `\u2002${rest}`,
    ),
  )
  return [{ bold: lines[0]?.trigger ?? '', rest: '' }, ...items.map((rest) => ({ bold: '', rest }))]
}

/** The lines of a label, wrapped where they are long. */
export function wordsOf(label: Label, room = LABEL): Words[] {
  return label.flatMap(({ trigger, condition }) => {
    const together = { bold: trigger, rest: condition }
    if (widthOfWords(together) <= room) return [together]
    return [
      ...wrap(trigger, room, FONTS.trigger).map((bold) => ({ bold, rest: '' })),
      ...wrap(condition, room, FONTS.text).map((rest) => ({ bold: '', rest })),
    ].filter(({ bold, rest }) => bold + rest !== '')
  })
}

function widthOfWords({ bold, rest }: Words): number {
  return widthOf(bold === '' ? '' : `${bold} `, FONTS.trigger) + widthOf(rest, FONTS.text)
}

/** The size of a label. */
export function labelSize(label: Label): { readonly width: number; readonly height: number } {
  const words = wordsOf(label)
  return {
    width: Math.ceil(Math.max(0, ...words.map(widthOfWords))) + 2 * LABEL_PADDING.x,
    height: words.length * LINE.label + 2 * LABEL_PADDING.y,
  }
}
