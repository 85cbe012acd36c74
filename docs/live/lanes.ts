import { isCalm, make, timeText } from './elements.ts'

/** Pixels. */
const TOP = 10
const BAR = 28
/** Between two lanes: of few, and of many. Above a lane: its name, on a phone. */
const WIRE = { few: 44, many: 34 }
const NAME = 16
const FEW = 3
const BELOW = 28
const RIGHT = 12
const INSET = 10

/** Pixels that stay in sight before a step, because what begins out of sight fades. */
const PEEK = 28

/** How much wider than needed a step may be. */
const SPREAD = 2.5

/** Pixels below which a growing picture has its names above the lanes, and steps as narrow as its words permit. */
const PHONE = { width: 460, least: 13 }

/** Seconds of a wait that is drawn too short for its length, and marked so. */
const LONG = 2

/** Pixels between two messages of one step, and how far one moves to the right on its way. */
const APART = 26
const LEAN = 10

/** Measures words. */
const pen = document.createElement('canvas').getContext('2d')
if (pen) pen.font = `600 12px ${getComputedStyle(document.body).fontFamily}`

/** A message between two lanes, and what it says in a word. */
export interface LaneMessage {
  readonly from: number
  readonly to: number
  readonly kind: 'request' | 'response' | 'trouble' | 'lost' | 'ignored' | 'note'
  readonly words: string
}

/** What happened at a time. */
export interface LaneStep {
  /** Milliseconds since the start. */
  readonly at: number
  /** The state of each lane after the step: none before it starts, or if it is unknown. */
  readonly states: readonly (string | undefined)[]
  readonly messages: readonly LaneMessage[]
}

/** Draws who was in which state at a time, and what they sent each other: one lane for each. */
export class Lanes {
  readonly #scroller = make('div', 'scroller')
  readonly #names = make('div', 'lane-names')
  readonly #key = make('p', 'key')
  readonly #roleOf: (lane: number, state: string) => string
  /** Where a lane begins. */
  #topOf = (_: number) => 0
  /** Where the steps begin. */
  #starts: readonly number[] = []
  /** The names in the bars, and where each may stand: between its first place and its last. */
  #bars: { readonly name: SVGElement; readonly first: number; readonly last: number }[] = []

  /** @param element Part of a section that has a name. */
  constructor(element: HTMLElement, roleOf: (lane: number, state: string) => string) {
    this.#roleOf = roleOf
    // Scrollable areas must be reachable by keyboard.
    this.#scroller.tabIndex = 0
    this.#scroller.setAttribute('role', 'group')
    this.#scroller.setAttribute(
      'aria-labelledby',
      element.closest('section')?.getAttribute('aria-labelledby') ?? '',
    )
    this.#names.ariaHidden = 'true'
    this.#scroller.addEventListener('scroll', () => this.#keepNames(), { passive: true })
    element.replaceChildren(this.#names, this.#scroller)
    element.after(this.#key)
  }

  /**
   * Shows steps. A long wait is drawn wider than a short one, but not as much as it is longer.
   *
   * @param onChoose Called with the index of the step that the user clicks.
   */
  show(names: readonly string[], steps: readonly LaneStep[], onChoose?: (index: number) => void): void {
    const whole = this.#scroller.parentElement?.clientWidth ?? 0
    const isSmall = whole < PHONE.width && onChoose === undefined
    this.#names.classList.toggle('above', isSmall)
    const right = isSmall ? 0 : RIGHT
    const room = this.#scroller.clientWidth - right
    const above = isSmall ? NAME : 0
    const wire = (names.length > FEW ? WIRE.many : WIRE.few) + above
    const topOf = (lane: number) => TOP + above + lane * (BAR + wire)
    this.#topOf = topOf
    const height = topOf(names.length) - wire + BELOW
    const widths = spread(isSmall ? squeeze(steps) : steps.map((_, index) => widthOf(steps, index)), room)
    const starts = widths.map((_, index) => sum(widths.slice(0, index)))
    const end = sum(widths)
    const width = Math.round(Math.max(room, end)) + right
    const svg = draw('svg', { viewBox: `0 0 ${width} ${height}`, width, height, 'aria-hidden': 'true' })
    this.#starts = starts
    this.#bars = []
    svg.append(draw('path', { class: 'now', d: `M1 4V${height - 22}` }))
    names.forEach((_, lane) => {
      if (steps.some(({ states }) => states[lane] !== undefined))
        this.#drawSpans(svg, steps, lane, [...starts, end])
      else
        svg.append(draw('rect', { class: 'bare', x: 1, y: topOf(lane) + 9, width: end, height: 10, rx: 5 }))
    })
    const scrolled = starts.find((x) => x >= end - room - 1) ?? 0
    let shown = ''
    let free = 0
    steps.forEach(({ at, states, messages }, index) => {
      const x = starts[index] ?? 0
      const next = x + (widths[index] ?? 0)
      const time = timeText(at)
      const isLong = waitAfter(steps, index) >= LONG
      const isNew = time !== shown
      // A growing picture has no room for a time below each bar.
      const begins = onChoose && states.some((state, lane) => state !== steps[index - 1]?.states[lane])
      // A new time may reach below the next steps, but not to a mark.
      const limit = isLong ? next - 17 : isNew ? width : next
      const isTold = (isNew || begins) && x >= free && x + measure(time) <= limit
      if (isTold) free = x + measure(time) + 8
      const group = draw('g', { class: onChoose ? 'column chosen' : 'column' })
      group.dataset.index = String(index)
      group.append(
        draw('rect', { class: 'area', x, y: 0, width: widths[index] ?? 0, height }),
        words('tick', x + 2, height - 8, isTold ? time : ''),
        words('tick', next - 14, height - 8, isLong ? '//' : ''),
        ...drawMessages(messages, x + 6, topOf),
      )
      shown = time
      group.addEventListener('click', () => onChoose?.(index))
      svg.append(group)
    })
    // A message at the left edge needs the place of a name.
    const isMet = steps[starts.indexOf(scrolled)]?.messages.some(({ kind }) => kind !== 'note')
    this.#names.replaceChildren(
      ...names.map((name, lane) => {
        const shown = make('span', '', name)
        shown.style.top = `${topOf(lane) - above * 1.4}px`
        shown.style.left = isSmall && isMet ? '22px' : ''
        return shown
      }),
    )
    this.#scroller.replaceChildren(svg)
    const hasLong = steps.some((_, index) => waitAfter(steps, index) >= LONG)
    this.#key.replaceChildren(
      'Not to scale.',
      ...(hasLong ? [' ', make('b', '', '//'), ` marks a wait of ${LONG}s or more.`] : []),
    )
    this.#keepNames()
  }

  /** Moves to a step. */
  mark(at: number): void {
    const scroller = this.#scroller
    for (const drawn of scroller.querySelectorAll<SVGElement>('[data-index]'))
      drawn.classList.toggle('ahead', Number(drawn.dataset.index) > at)
    const area = scroller.querySelectorAll('.area')[at]
    const left = Number(area?.getAttribute('x') ?? 0)
    const right = left + Number(area?.getAttribute('width') ?? 0)
    scroller.querySelector('.now')?.setAttribute('transform', `translate(${left} 0)`)
    if (right > scroller.scrollLeft + scroller.clientWidth || left - PEEK < scroller.scrollLeft) {
      const start = this.#starts.find((x) => x >= left - scroller.clientWidth / 2) ?? left
      scroller.scrollTo({
        left: Math.min(left - PEEK, Math.max(start - PEEK, right - scroller.clientWidth)),
        behavior: isCalm() ? 'instant' : 'smooth',
      })
    }
  }

  /** Neighbouring steps in one state share a bar. */
  #drawSpans(svg: Element, steps: readonly LaneStep[], lane: number, starts: readonly number[]): void {
    steps.forEach(({ states }, index) => {
      const state = states[lane]
      if (state === undefined || steps[index - 1]?.states[lane] === state) return
      const next = steps.findIndex((other, later) => later > index && other.states[lane] !== state)
      const [left = 0, right = 0] = [starts[index], starts[next < 0 ? steps.length : next]]
      const y = this.#topOf(lane)
      const group = draw('g', { class: this.#roleOf(lane, state) })
      group.dataset.index = String(index)
      const length = measure(lastOf(state))
      const name = words('name', 0, y + 18, lastOf(state))
      this.#bars.push({
        name,
        first: left + Math.min(INSET, (right - left - length) / 2),
        last: right - length - INSET,
      })
      group.append(
        draw('rect', { class: 'shape', x: left + 1, y, width: right - left - 2, height: BAR, rx: 8 }),
        name,
      )
      svg.append(group)
    })
  }

  /** A bar that begins out of sight shows its name where it can be seen. Words that would be cut off are not shown. */
  #keepNames(): void {
    const { scrollLeft, clientWidth, scrollWidth } = this.#scroller
    this.#scroller.classList.toggle('begun', scrollLeft > 0)
    this.#scroller.classList.toggle('goes-on', scrollLeft + clientWidth < scrollWidth - RIGHT)
    const seen = scrollLeft > 0 ? scrollLeft + PEEK : 0
    for (const { name, first, last } of this.#bars)
      name.setAttribute('x', String(Math.max(first, Math.min(seen, last))))
    for (const text of this.#scroller.querySelectorAll('text')) {
      const x = Number(text.getAttribute('x'))
      const isCut = x < scrollLeft || x + measure(text.textContent ?? '') > scrollLeft + clientWidth
      text.setAttribute('visibility', isCut ? 'hidden' : 'visible')
    }
  }
}

/** Pixels of words. */
function measure(words: string): number {
  return (pen?.measureText(words).width ?? 0) - words.length * 0.24
}

/** The name of a state without its parents. */
function lastOf(state: string): string {
  return state.split('.').at(-1) ?? ''
}

/** Pixels of a step: for the states that begin, for its messages, and for the time until the next one. */
function widthOf(steps: readonly LaneStep[], index: number): number {
  const { states = [], messages = [] } = steps[index] ?? {}
  const before = steps[index - 1]?.states
  const names = states.map((state, lane) => (state && state !== before?.[lane] ? measure(lastOf(state)) : 0))
  const wait = waitAfter(steps, index)
  return Math.max(
    Math.max(...names) + 2 * INSET,
    sum(messages.map(spaceOf)) + 8,
    44 + 4 * Math.log2(1 + wait),
  )
}

/** Pixels of steps whose names and messages reach below the next ones until there is something else. */
function squeeze(steps: readonly LaneStep[]): number[] {
  const starts = [0]
  steps.forEach((_, index) => {
    const next = steps[index + 1]
    const needed = steps.slice(0, index + 1).map(({ at, states, messages }, first) => {
      const names = states.map((state, lane) =>
        state && state !== steps[first - 1]?.states[lane] && state !== next?.states[lane]
          ? measure(lastOf(state)) + 6
          : 0,
      )
      const told = sum(messages.map(spaceOf))
      const message = next === undefined ? told : next.messages.length > 0 ? told - 8 : 0
      const time = waitAfter(steps, first) < LONG ? 0 : measure(timeText(at)) + 20
      return (starts[first] ?? 0) + Math.max(PHONE.least, time, message, ...names)
    })
    starts.push(Math.max(...needed))
  })
  return steps.map((_, index) => (starts[index + 1] ?? 0) - (starts[index] ?? 0))
}

/** Spreads the steps over the room that there is. If it is too small, the last steps fill it. */
function spread(least: readonly number[], room: number): number[] {
  const fitting = least.map((_, index) => sum(least.slice(index))).find((total) => total <= room) ?? room
  return least.map((width) => width * Math.min(SPREAD, room / fitting))
}

/** Seconds until the next step. */
function waitAfter(steps: readonly LaneStep[], index: number): number {
  const at = steps[index]?.at ?? 0
  return ((steps[index + 1]?.at ?? at) - at) / 1000
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function spaceOf({ words }: LaneMessage): number {
  return APART + measure(words)
}

/** What is lost ends on the way. */
function drawMessages(
  messages: readonly LaneMessage[],
  left: number,
  topOf: (lane: number) => number,
): SVGElement[] {
  let x = left
  return messages.flatMap((message) => {
    const { from, to, kind } = message
    const at = x
    x += spaceOf(message)
    const lower = Math.max(from, to)
    const [top, bottom] = [topOf(Math.min(from, to)) + BAR + 3, topOf(lower) - 3]
    const middle = (topOf(lower - 1) + BAR + topOf(lower)) / 2
    const told = words('outcome', at + LEAN + 9, middle + 4, message.words)
    if (kind === 'note') return [told]
    const [start, end] = from < to ? [top, bottom] : [bottom, top]
    if (kind === 'lost') {
      const cross = `M${at + LEAN / 2 - 6} ${middle - 6}l12 12m0-12l-12 12`
      return [
        draw('path', { class: 'message lost', d: `M${at} ${start}L${at + LEAN / 2} ${middle}${cross}` }),
        told,
      ]
    }
    return [arrow(kind, at, start, end), told]
  })
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
