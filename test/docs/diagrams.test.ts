import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { through } from '../../docs/tools/curve.ts'
import { drawMachine } from '../../docs/tools/draw-machine.ts'
import { compactLayout, layouts, MACHINES, WIDEST } from '../../docs/tools/make-diagrams.ts'
import { type Box, type Layout, type Point, wordsBox } from '../../docs/tools/places.ts'
import { stack } from '../../docs/tools/stack.ts'
import { roleOfName } from '../../src/pictures/state-roles.ts'
import { DARK, LIGHT, ROLES } from '../../src/pictures/theme.ts'
import { contrast } from '../support/contrast.ts'

const folder = resolve(import.meta.dirname, '../../docs/machines')

const laidOut = [...layouts()]

test.each(laidOut)('the main path of %s leads straight down one column', (_, { arrows, width }) => {
  const down = arrows.filter(
    ({ arrow, points }) => arrow.isMain && (points[0]?.y ?? 0) < (points.at(-1)?.y ?? 0),
  )
  expect(new Set(down.flatMap(({ points }) => points.map(({ x }) => x))).size).toBe(1)
  expect(width).toBeLessThanOrEqual(WIDEST)
})

test.each(Object.keys(MACHINES))('no line of the compact picture of %s leads behind a state', (file) => {
  const { states, arrows } = compactLayout(file)
  const behind = arrows.flatMap(({ arrow: { id, source, target }, curve }) =>
    states
      .filter(({ shape }) => ![source, target].some((end) => `${end}.`.startsWith(`${shape.id}.`)))
      .filter((state) => curve && through(curve, state))
      .map(({ shape }) => `${id} behind ${shape.id}`),
  )
  expect(behind).toEqual([])
})

test('a drawn recording colors a status like the state in the picture of the machine', () => {
  const svg = readFileSync(join(folder, 'device-authorization.svg'), 'utf8')
  const drawn = [...svg.matchAll(/class="state (\w+)" data-state="(?:[^"]+\.)?(\w+)"/g)]
  const roles = Object.fromEntries(drawn.map(([, role, name = '']) => [name, role]))
  const waiting = ['requesting', 'requested', 'pending', 'slowed', 'retrying']
  for (const name of [...waiting, 'authorized', 'denied', 'expired', 'failed', 'cancelled'])
    expect([name, roleOfName(name)]).toEqual([name, roles[name]])
})

describe.each(
  laidOut.flatMap(([file, layout]) => [
    { file, kind: 'wide', layout },
    { file, kind: 'narrow', layout: stack(layout.plan) },
  ]),
)('the $kind picture of $file', ({ layout }) => {
  const { machine: read } = layout.plan
  const svg = drawMachine(layout, 'auto')

  test('has no overlapping boxes', () => {
    const boxes = boxesOf(layout)
    const met = boxes.flatMap((one, index) =>
      boxes
        .slice(index + 1)
        .flatMap((other) => (overlap(one, other) ? [`${one.name} on ${other.name}`] : [])),
    )
    expect(boxes.length).toBeGreaterThan(7)
    expect(met).toEqual([])
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

  test('shows every transition', () => {
    const arrows = layout.arrows.flatMap(({ arrow }) => arrow.transitions)
    const written = layout.shapes.flatMap(({ shape }) => ('written' in shape ? shape.written : []))
    const shown = [...arrows, ...written.flatMap(({ transitions }) => transitions)]
    expect(idsOf(shown)).toEqual(idsOf(read.transitions))
    expect(attributes(svg, 'data-transitions').flat()).toEqual(
      expect.arrayContaining(read.transitions.map(({ id }) => id)),
    )
  })

  test('shows every state with its description, and final states with a double border', () => {
    const states = read.states.filter(({ id, type }) => id !== '' && type !== 'history')
    expect(attributes(svg, 'data-state').flat()).toEqual(expect.arrayContaining(states.map(({ id }) => id)))
    for (const { id, description, invokes } of states) {
      const words = wordsOf(svg, id)
      expect(words).toContain(description)
      for (const invoke of invokes) expect(words).toContain(invoke)
    }
    const ends = states.filter(({ type }) => type === 'final')
    expect(drawingOf(svg).match(/class="inner"/g) ?? []).toHaveLength(ends.length)
  })

  test('says what triggers each transition', () => {
    const words = svg.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
    for (const { trigger, description } of read.transitions) {
      if (trigger.kind === 'event') expect(words).toContain(trigger.name)
      for (const word of description?.match(/[^\s:,]+/g) ?? []) expect(words).toContain(word)
    }
  })
})

test.each([
  ['light', LIGHT],
  ['dark', DARK],
] as const)('text has a contrast of at least 4.5 in the %s pictures', (_, theme) => {
  const pairs = [
    ['ink', 'paper'],
    ['quiet', 'paper'],
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
  return [...group.matchAll(/>([^<]+)</g)].map(([, words]) => words).join(' ')
}

/** A picture without its key. */
function drawingOf(svg: string): string {
  return svg.slice(svg.indexOf('<g class="machine"'), svg.indexOf('<g class="key"'))
}
