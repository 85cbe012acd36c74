import { isCalm } from './elements.ts'

/** Pixels above a state that is higher than its frame. */
const MARGIN = 16

/** Lights a state and its parents in a picture, and scrolls there; `undefined` lights nothing. */
export function lightState(frame: Element, state: string | undefined): void {
  for (const drawn of frame.querySelectorAll<SVGGElement>('[data-state]'))
    drawn.classList.toggle('active', `${state ?? ''}.`.startsWith(`${drawn.dataset.state}.`))
  follow(frame)
}

/** Scrolls the lit state, or where the machine starts, to the middle of the frame. */
function follow(frame: Element): void {
  const lit = [...frame.querySelectorAll('.active')].at(-1) ?? frame.querySelector('.state')
  if (lit === null) return
  const here = frame.getBoundingClientRect()
  const there = lit.getBoundingClientRect()
  frame.scrollBy({
    left: there.left + there.width / 2 - here.left - here.width / 2,
    top: there.top - here.top - Math.max(MARGIN, (here.height - there.height) / 2),
    behavior: isCalm() ? 'instant' : 'smooth',
  })
}
