import { type Font, widthOf, wrap } from './measure-text.ts'
import { type Label, labelOf, type Plan, type Shape } from './plan-picture.ts'

/** Fonts of the diagrams. */
export const FONTS = {
  name: { size: 18, kind: 'bold' },
  text: { size: 14, kind: 'regular' },
  tag: { size: 11, kind: 'bold' },
  trigger: { size: 14, kind: 'bold' },
  guard: { size: 14, kind: 'regular' },
} satisfies Record<string, Font>

/** Pixels between the border of a shape and its content. */
export const PADDING = { x: 14, y: 11 }

/** Line heights in pixels. */
export const LINE = { tag: 16, name: 24, text: 18, invoke: 24, label: 19 }

/** Pixels between the border of a label and its text. */
const LABEL_PADDING = { x: 9, y: 4 }

/** Height in pixels of a reference to a state. */
const REFERENCE = 28

/** Diameter in pixels of the start circle. */
const DOT = 14

/** Pixels at which text wraps: in a state alone in its row, and in one beside others. */
const ALONE = 236
const BESIDE = 108

/** The same in a compound state, where arrows pass beside the text. */
const AROUND = 176

/** Pixels above the label of transitions that return through the history state, and of the sign beside it. */
export const STAYS = { gap: 8, sign: 30 }

/** What a shape shows, and its size. */
export interface Content {
  readonly width: number
  readonly height: number
  readonly tag: string | undefined
  readonly name: string
  readonly lines: readonly string[]
  readonly invokes: readonly string[]
  readonly stays: Label
}

const NOTHING = { tag: undefined, name: '', lines: [], invokes: [], stays: [] }

/** Lays out the text of a shape. */
export function contentOf(shape: Shape, plan: Plan): Content {
  switch (shape.kind) {
    case 'start':
      return { ...NOTHING, width: DOT, height: DOT }
    case 'anywhere':
      return anywhereContent(shape)
    case 'reference':
      return {
        ...NOTHING,
        name: shape.state.name,
        width: Math.ceil(widthOf(shape.state.name, FONTS.trigger)) + 2 * PADDING.x,
        height: REFERENCE,
      }
    case 'state':
      return stateContent(shape, plan)
  }
}

/** The root has no border, so its label says that it applies anywhere. */
function anywhereContent({ label, parent }: Extract<Shape, { kind: 'anywhere' }>): Content {
  const { width, height } = labelSize(label)
  if (parent !== '') return { ...NOTHING, width, height }
  const tag = 'anywhere'
  const wide = Math.ceil(widthOf(tag.toUpperCase(), FONTS.tag) * 1.1) + 2 * LABEL_PADDING.x
  return { ...NOTHING, tag, width: Math.max(width, wide), height: height + LINE.tag }
}

function stateContent(shape: Extract<Shape, { kind: 'state' }>, plan: Plan): Content {
  const { name, tags, description, invokes } = shape.state
  // A tag adds nothing where the name or the enclosing shape says the same.
  const around = plan.shapes.find(({ id }) => id === shape.parent)
  const said = [name, ...(around?.kind === 'state' ? around.state.tags : [])]
  return measured({
    tag: tags.find((tag) => !said.includes(tag)),
    name,
    lines: wrap(description, roomOf(shape), FONTS.text),
    invokes,
    stays: labelOf(shape.stays, plan.machine),
  })
}

function roomOf({ state, parent }: Extract<Shape, { kind: 'state' }>): number {
  if (state.type === 'compound') return AROUND
  return parent === '' && state.type !== 'final' ? ALONE : BESIDE
}

function measured(content: Omit<Content, 'width' | 'height'>): Content {
  const { tag, name, lines, invokes, stays } = content
  const staying = labelSize(stays)
  const width = Math.max(
    widthOf(name, FONTS.name),
    widthOf(tag?.toUpperCase() ?? '', FONTS.tag) * 1.1,
    ...lines.map((line) => widthOf(line, FONTS.text)),
    ...invokes.map((id) => widthOf(`invoke ${id}`, FONTS.text) + 16),
    stays.length > 0 ? staying.width + STAYS.sign : 0,
  )
  const height =
    (tag ? LINE.tag : 0) +
    LINE.name +
    lines.length * LINE.text +
    invokes.length * LINE.invoke +
    (stays.length > 0 ? STAYS.gap + staying.height : 0)
  return { ...content, width: Math.ceil(width) + 2 * PADDING.x, height: height + 2 * PADDING.y }
}

/** The lines of a label: triggers and guards. */
export function labelLines(label: Label): { readonly kind: 'trigger' | 'guard'; readonly text: string }[] {
  return label.flatMap(({ trigger, guards }) => [
    ...(trigger === '' ? [] : [{ kind: 'trigger' as const, text: trigger }]),
    ...guards.map((guard) => ({ kind: 'guard' as const, text: `[${guard}]` })),
  ])
}

/** The size of a label. */
export function labelSize(label: Label): { readonly width: number; readonly height: number } {
  const lines = labelLines(label)
  const width = Math.max(0, ...lines.map(({ kind, text }) => widthOf(text, FONTS[kind])))
  return {
    width: Math.ceil(width) + 2 * LABEL_PADDING.x,
    height: lines.length * LINE.label + 2 * LABEL_PADDING.y,
  }
}
