import { find } from '../live/elements.ts'
import type { Message } from './graphs.ts'
import { type Step, statesAfter, type Tree } from './paths.ts'
import { timeOf } from './show-steps.ts'

/** Pixels. */
const LEFT = 84
const TOP = 10
const BAR = 28
const WIRE = 58
const HEIGHT = TOP + 2 * BAR + WIRE + 28
const RIGHT = 12
const LETTER = 7.4

/** How much wider than needed a step may be. */
const MOST = 2.5

/** Pixels between two messages of one step, and how far one moves to the right on its way. */
const APART = 26
const LEAN = 10

/** Draws a path as two sides in time. A long wait is drawn wider than a short one, but not as much as it is longer. */
export class Axis {
  readonly #roleOf: (machine: number, state: string) => string

  constructor(roleOf: (machine: number, state: string) => string) {
    this.#roleOf = roleOf
    // Scrollable areas must be reachable by keyboard.
    const axis = find('#axis')
    axis.tabIndex = 0
    axis.setAttribute('role', 'group')
    axis.setAttribute('aria-labelledby', 'time-heading')
  }

  show({ lanes }: Tree, path: readonly Step[], onChoose: (index: number) => void): void {
    const least = path.map((step, index) => widthOf(step, path[index + 1]))
    const room = find('#axis').clientWidth - LEFT - RIGHT
    const spread = Math.min(MOST, Math.max(1, room / sum(least)))
    const widths = least.map((width) => width * spread)
    const starts = widths.map((_, index) => LEFT + sum(widths.slice(0, index)))
    const x = LEFT + sum(widths)
    const svg = draw('svg', {
      viewBox: `0 0 ${Math.ceil(x + RIGHT)} ${HEIGHT}`,
      width: Math.ceil(x + RIGHT),
      height: HEIGHT,
      'aria-hidden': 'true',
    })
    lanes.forEach(({ name, machine }, lane) => {
      const y = TOP + lane * (BAR + WIRE)
      svg.append(words('name', 12, y + 18, name))
      if (machine === undefined)
        svg.append(draw('rect', { class: 'bare', x: LEFT, y: y + 9, width: x - LEFT, height: 10, rx: 5 }))
      else this.#drawSpans(svg, path, machine, [...starts, x], y)
    })
    path.forEach((step, index) => {
      const left = starts[index] ?? 0
      const group = draw('g', { class: 'column' })
      group.dataset.index = String(index)
      const width = (starts[index + 1] ?? x) - left
      group.append(
        draw('rect', { class: 'area', x: left, y: 0, width, height: HEIGHT }),
        words('tick', left + 2, HEIGHT - 8, timeOf(step.at)),
        ...drawMessages(step, left + 6),
      )
      group.addEventListener('click', () => onChoose(index))
      svg.append(group)
    })
    svg.append(draw('path', { class: 'now', d: `M0 4V${HEIGHT - 22}` }))
    find('#axis').replaceChildren(svg)
  }

  /** Moves to a step. */
  mark(at: number): void {
    const axis = find('#axis')
    for (const drawn of axis.querySelectorAll<SVGElement>('[data-index]'))
      drawn.classList.toggle('ahead', Number(drawn.dataset.index) > at)
    const area = axis.querySelectorAll('.area')[at]
    const left = Number(area?.getAttribute('x') ?? LEFT)
    axis.querySelector('.now')?.setAttribute('transform', `translate(${left} 0)`)
    if (left - axis.scrollLeft > axis.clientWidth - 120 || left < axis.scrollLeft + LEFT)
      axis.scrollLeft = left - axis.clientWidth / 2
  }

  /** Neighbouring steps in one state share a bar. */
  #drawSpans(
    svg: Element,
    path: readonly Step[],
    machine: number,
    starts: readonly number[],
    y: number,
  ): void {
    path.forEach((step, index) => {
      const state = statesAfter(step)[machine]
      const before = path[index - 1]
      if (state === undefined || (before && statesAfter(before)[machine] === state)) return
      const next = path.findIndex((other, later) => later > index && statesAfter(other)[machine] !== state)
      const [left = 0, right = 0] = [starts[index], starts[next < 0 ? path.length : next]]
      const group = draw('g', { class: this.#roleOf(machine, state) })
      group.dataset.index = String(index)
      group.append(
        draw('rect', { class: 'shape', x: left + 1, y, width: right - left - 2, height: BAR, rx: 8 }),
        words('name', left + 10, y + 18, state.split('.').at(-1) ?? ''),
      )
      svg.append(group)
    })
  }
}

/** Pixels of a step: for its state, for its messages, and for the time until the next one. */
function widthOf(step: Step, next: Step | undefined): number {
  const names = statesAfter(step).map((id) => id?.split('.').at(-1) ?? '')
  const longest = Math.max(...names.map(({ length }) => length), 6)
  const wait = ((next?.at ?? step.at) - step.at) / 1000
  const messages = sum(step.wire.map(spaceOf))
  return Math.max(longest * LETTER + 24, messages + 16, 64 + 10 * Math.log2(1 + wait))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function spaceOf(message: Message): number {
  return APART + outcomeOf(message).length * 6.7
}

/** What a response or a loss says, in a word. */
function outcomeOf(message: Message): string {
  if (message[0] === '>') return ''
  const [status = '', fields = ''] = message.slice(1).split('\n')
  if (message[0] === 'x') return status.startsWith('no') ? 'silence' : (status.split(' ').at(-1) ?? '')
  return (
    /error (\w+)/.exec(fields)?.[1]?.replace('authorization_', '') ??
    /access_token|device_code/.exec(fields)?.[0] ??
    status
  )
}

/** A request goes down, its response goes up, and what is lost ends on the way. */
function drawMessages(step: Step, left: number): SVGElement[] {
  const [top, bottom] = [TOP + BAR + 3, TOP + BAR + WIRE - 3]
  const middle = (top + bottom) / 2
  let x = left
  return step.wire.flatMap((message) => {
    const at = x
    x += spaceOf(message)
    if (message[0] === '>') return [arrow('request', at, top, bottom)]
    const told = words('outcome', at + LEAN + 7, middle + 4, outcomeOf(message))
    if (message[0] === '<')
      return [arrow(isFault(message) ? 'response trouble' : 'response', at, bottom, top), told]
    return [draw('path', { class: 'message lost', d: `M${at} ${middle - 5}l10 10m0-10l-10 10` }), told]
  })
}

function isFault(message: string): boolean {
  return /error (?!authorization_pending)|^<(?:200\nan HTML|30|40|42|50)/.test(message)
}

/** A line with a head. */
function arrow(className: string, x: number, from: number, to: number): SVGElement {
  const back = from < to ? -7 : 7
  const d = `M${x} ${from}L${x + LEAN} ${to}m-5 ${back * 0.8}l5 ${-back * 0.8}l2.5 ${back}`
  return draw('path', { class: `message ${className}`, d })
}

function words(className: string, x: number, y: number, text: string): SVGElement {
  const element = draw('text', { class: className, x, y })
  element.textContent = text
  return element
}

function draw(name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
  return element
}
