import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { setup } from 'xstate'
import { drawMachine } from '../../docs/tools/draw-machine.ts'
import { type Box, crosses, type Layout, type Point, wordsBox } from '../../docs/tools/lay-out.ts'
import { diagrams, layouts } from '../../docs/tools/make-diagrams.ts'
import { readMachine } from '../../docs/tools/read-machine.ts'
import { stack } from '../../docs/tools/stack.ts'
import { DARK, LIGHT, ROLES } from '../../docs/tools/theme.ts'
import { rowsOf, writeTransitions } from '../../docs/tools/write-transitions.ts'

const folder = resolve(import.meta.dirname, '../../docs/machines')

const laidOut = await layouts()

/** Widest picture in pixels: what fits a page on GitHub, and what is readable on a phone. */
const WIDEST = { wide: 900, narrow: 400 }

test('docs/machines contains exactly the files generated from the machines', () => {
  const present = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const)
  expect(new Map(present.sort())).toEqual(new Map([...diagrams(laidOut)].sort()))
})

describe.each(
  [...laidOut].flatMap(([file, layout]) => [
    { file, kind: 'wide' as const, layout },
    { file, kind: 'narrow' as const, layout: stack(layout.plan) },
  ]),
)('the $kind picture of $file', ({ kind, layout }) => {
  const { machine: read } = layout.plan
  const svg = drawMachine(layout, 'auto')

  test('has no overlapping boxes', () => {
    const boxes = boxesOf(layout)
    const met = boxes.flatMap((one, index) =>
      boxes
        .slice(index + 1)
        .flatMap((other) => (overlap(one, other) ? [`${one.name} on ${other.name}`] : [])),
    )
    expect(boxes.length).toBeGreaterThan(10)
    expect(met).toEqual([])
  })

  test('draws no arrow through a label, state or text other than its own', () => {
    const boxes = boxesOf(layout)
    const crossed = layout.arrows.flatMap(({ arrow, points }) =>
      boxes
        .filter(({ name }) => name !== arrow.id && crosses(points, inset(boxes, name)))
        .map(({ name }) => `${arrow.id} through ${name}`),
    )
    expect(crossed).toEqual([])
  })

  test('keeps everything inside its borders and fits a page', () => {
    for (const { x, y, width, height } of boxesOf(layout)) {
      expect(Math.min(x, y)).toBeGreaterThanOrEqual(0)
      expect(x + width).toBeLessThanOrEqual(layout.width)
      expect(y + height).toBeLessThanOrEqual(layout.height)
    }
    expect(layout.width).toBeLessThanOrEqual(WIDEST[kind])
  })

  test('ends every arrow at its target state or at a reference to it', () => {
    for (const { arrow, points } of layout.arrows) {
      const { x, y } = points.at(-1) as Point
      const ends = layout.shapes.filter(({ shape }) =>
        shape.kind === 'reference' ? shape.state.id === arrow.target : shape.id === arrow.target,
      )
      expect(
        ends.some((end) => x >= end.x && x <= end.x + end.width && y >= end.y && y <= end.y + end.height),
        arrow.id,
      ).toBe(true)
    }
  })

  test('shows every transition exactly once', () => {
    const arrows = layout.plan.arrows.flatMap(({ transitions }) => transitions)
    const stays = layout.plan.shapes.flatMap((shape) => (shape.kind === 'state' ? shape.stays : []))
    expect(idsOf([...arrows, ...stays])).toEqual(idsOf(read.transitions))
    for (const { id } of read.transitions) expect(attributes(svg, 'data-transitions').flat()).toContain(id)
  })

  test('shows every state with its description, and final states with a double border', () => {
    const states = read.states.filter(({ id, type }) => id !== '' && type !== 'history')
    expect(attributes(svg, 'data-state').flat().sort()).toEqual(states.map(({ id }) => id).sort())
    for (const { id, description, invokes } of states) {
      const words = wordsOf(svg, id)
      expect(words).toContain(description)
      for (const invoke of invokes) expect(words).toContain(`invoke ${invoke}`)
    }
    const ends = states.filter(({ type }) => type === 'final')
    expect(svg.match(/class="inner"/g) ?? []).toHaveLength(ends.length)
  })

  test('labels arrows with their guards and events', () => {
    for (const { guard, trigger } of read.transitions) {
      if (guard !== undefined) expect(svg).toContain(`[${guard}]`)
      if (trigger.kind === 'event')
        expect(svg).toMatch(new RegExp(`class="trigger"[^>]*>[^<]*${trigger.name}`))
    }
  })
})

describe.each([...laidOut])('the page of %s', (file, { plan: { machine: read } }) => {
  test('has a table of all transitions', () => {
    const rows = rowsOf(read)
    expect(idsOf(rows.flat())).toEqual(idsOf(read.transitions))
    const [, transitions = ''] =
      /## Transitions\n\n([\s\S]*?)\n\n## States/.exec(writeTransitions(read, file)) ?? []
    const lines = transitions.split('\n').slice(2)
    expect(lines).toHaveLength(rows.length)
    rows.forEach((row, index) => {
      for (const { from } of row) expect(lines[index]).toContain(from === '' ? '| any' : `\`${from}\``)
    })
  })
})

test('writeTransitions throws for a name without a description', () => {
  const machine = setup({ guards: { unknownGuard: () => true } }).createMachine({
    id: 'other',
    initial: 'one',
    states: { one: { tags: 'waiting', on: { poll: { guard: 'unknownGuard', target: 'one' } } } },
  })
  expect(() => writeTransitions(readMachine(machine), 'other')).toThrow(/unknownGuard/)
})

test.each([
  ['light', LIGHT],
  ['dark', DARK],
] as const)('text has a contrast of at least 4.5 in the %s pictures', (_, theme) => {
  const pairs = [
    ['ink', 'paper'],
    ['quiet', 'paper'],
    ['quiet', 'label'],
    ...Object.keys(ROLES).flatMap((role) =>
      ['ink', 'quiet', `${role}-ink`].map((words) => [words, `${role}-fill`]),
    ),
  ] as [keyof typeof LIGHT, keyof typeof LIGHT][]
  for (const [words, ground] of pairs)
    expect(contrast(theme[words], theme[ground]), `${words} on ${ground}`).toBeGreaterThanOrEqual(4.5)
})

interface NamedBox extends Box {
  readonly name: string
}

/** Atomic states, the text of compound states, and labels. */
function boxesOf({ shapes, arrows }: Layout): NamedBox[] {
  return [
    ...shapes.map((placed) => ({ ...(placed.isAround ? wordsBox(placed) : placed), name: placed.shape.id })),
    ...arrows.flatMap(({ arrow, label }) => (label ? [{ ...label, name: arrow.id }] : [])),
  ]
}

/** Boxes shrunk by a little, since an arrow touches the border where it begins and ends. */
function inset(boxes: readonly NamedBox[], name: string): Box {
  const { x, y, width, height } = boxes.find((box) => box.name === name) as NamedBox
  return { x: x + 1, y: y + 1, width: width - 2, height: height - 2 }
}

function overlap(one: Box, other: Box): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  )
}

function idsOf(transitions: readonly { readonly id: string }[]): string[] {
  return transitions.map(({ id }) => id).sort()
}

function attributes(svg: string, name: string): string[][] {
  return [...svg.matchAll(new RegExp(`${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value.split(' '))
}

function wordsOf(svg: string, state: string): string {
  const [, group = ''] = new RegExp(`data-state="${state}">(.*?)</g>`, 's').exec(svg) ?? []
  return [...group.matchAll(/<text[^>]*>([^<]*)/g)].map(([, words]) => words).join(' ')
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** Contrast as defined by WCAG 2. */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
