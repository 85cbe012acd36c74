import { isCalm } from './elements.ts'
import { addMiniMap } from './mini-map.ts'

/** Pixels around a picture, and above a state that is higher than its frame. */
const MARGIN = 24

/** Cuts a picture down to its machine, whose name and key are beside the frame, and adds a map of the whole. */
export function framePicture(frame: HTMLElement): void {
  const svg = frame.querySelector('svg')
  const machine = svg?.querySelector('g')
  if (!svg || !machine) throw new TypeError('the frame has no picture')
  // It may be hidden the next time, and then it has no size.
  if (svg.dataset.framed) return
  svg.dataset.framed = 'true'
  const { x, y, width, height } = machine.getBBox()
  const top = machine.transform.baseVal.getItem(0).matrix.f
  const size = { width: width + 2 * MARGIN, height: height + 2 * MARGIN }
  svg.setAttribute('viewBox', `${x - MARGIN} ${y + top - MARGIN} ${size.width} ${size.height}`)
  for (const [name, value] of Object.entries(size)) svg.setAttribute(name, String(value))
  // Scrollable areas must be reachable by keyboard.
  frame.tabIndex = 0
  for (const event of ['scrollend', 'pointerdown', 'wheel'])
    frame.addEventListener(event, () => targets.delete(frame), { passive: true })
  addMiniMap(frame, svg, () => follow(frame))
}

/** Lights a state and its parents in a picture, and scrolls there; `undefined` lights nothing. */
export function lightState(frame: HTMLElement, state: string | undefined): void {
  for (const drawn of frame.querySelectorAll<SVGGElement>('[data-state]'))
    drawn.classList.toggle('active', `${state ?? ''}.`.startsWith(`${drawn.dataset.state}.`))
  follow(frame)
}

/** The role of a state, which gives it its color. */
export function roleOf(frame: Element, state: string): string {
  const drawn = frame.querySelector(`[data-state="${state}"]`)
  return [...(drawn?.classList ?? [])].find((name) => name !== 'state' && name !== 'active') ?? ''
}

/** Where a smooth scroll will end, in browsers that report its end. */
const targets = new WeakMap<HTMLElement, { readonly left: number; readonly top: number }>()

/** Scrolls the lit state, or where the machine starts, to the middle of the frame, unless it is in sight. */
function follow(frame: HTMLElement): void {
  const lit = [...frame.querySelectorAll('.active')].at(-1) ?? frame.querySelector('.state')
  if (lit === null) return
  const here = frame.getBoundingClientRect()
  const there = lit.getBoundingClientRect()
  const { left, top } = targets.get(frame) ?? { left: frame.scrollLeft, top: frame.scrollTop }
  const x = there.left - here.left + frame.scrollLeft
  const y = there.top - here.top + frame.scrollTop
  const isSeen = (from: number, size: number, start: number, room: number) =>
    from >= start + MARGIN && from + size <= start + room - MARGIN
  if (isSeen(x, there.width, left, here.width) && isSeen(y, there.height, top, here.height)) return
  const within = (value: number, most: number) => Math.min(Math.max(0, value), most)
  const target = {
    left: within(x - (here.width - there.width) / 2, frame.scrollWidth - frame.clientWidth),
    top: within(
      y - Math.max(MARGIN, (here.height - there.height) / 2),
      frame.scrollHeight - frame.clientHeight,
    ),
  }
  // A frame that is there already does not report an end, but it may be on its way to somewhere else.
  const isThere = Math.hypot(target.left - frame.scrollLeft, target.top - frame.scrollTop) < 1
  if (isThere) targets.delete(frame)
  else if ('onscrollend' in frame) targets.set(frame, target)
  frame.scrollTo({ ...target, behavior: isThere || isCalm() ? 'instant' : 'smooth' })
}
