import { make } from './elements.ts'

/** The largest width of a map in pixels, and the largest part of the height of its frame. */
const LARGEST = { width: 75, height: 0.3 }

/** Pixels between a map and the edges of its frame. */
const GAP = 8

/** Where a map can be. */
const CORNERS = ['bottom right', 'top right', 'bottom left', 'top left']

/**
 * Shows the whole of a picture in the corner of its frame: every state in its color, with the active one lit, the
 * arrows, and a rectangle around the part in sight, which can be dragged. Shows nothing if the whole picture is in sight.
 * It lies in the corner where it covers the fewest states, and never moves while the picture scrolls.
 */
export function addMiniMap(frame: HTMLElement, picture: SVGSVGElement, onResize: () => void): void {
  const map = picture.cloneNode() as SVGSVGElement
  map.setAttribute('class', 'map')
  map.setAttribute('role', 'none')
  map.setAttribute('aria-hidden', 'true')
  const machine = picture.querySelector('g')?.cloneNode() as SVGGElement
  const copies = new Map<Element, Element>()
  for (const drawn of picture.querySelectorAll('.arrow, [data-state]')) {
    const copy = drawn.cloneNode() as Element
    const line = drawn.querySelector(':scope > :is(.around, .shape)') ?? drawn.querySelector('.way')
    copy.append(...(line ? [line.cloneNode()] : []))
    copies.set(drawn, copy)
  }
  machine.append(...copies.values())
  const sight = document.createElementNS('http://www.w3.org/2000/svg', 'rect')
  sight.setAttribute('class', 'sight')
  map.append(machine, sight)
  const around = make('div', 'framed')
  frame.before(around)
  around.append(frame, map)
  const origin = picture.getBoundingClientRect()
  const shapes = [...picture.querySelectorAll('.state > .shape')].map((shape) => {
    const { left, top, width, height } = shape.getBoundingClientRect()
    return { state: shape.parentElement, x: left - origin.left, y: top - origin.top, width, height }
  })
  let corner = CORNERS[0] ?? ''

  const follow = (isAtRest: boolean) => {
    const all = picture.getBoundingClientRect()
    const seen = frame.getBoundingClientRect()
    const isWhole = all.width <= frame.clientWidth && all.height <= frame.clientHeight
    const scale = Math.min(LARGEST.width / all.width, (LARGEST.height * seen.height) / all.height)
    const size = { width: all.width * scale, height: all.height * scale }
    const covered = (corner: string) => {
      const x = (corner.includes('left') ? seen.left + GAP : seen.right - GAP - size.width) - all.left
      const y = (corner.includes('top') ? seen.top + GAP : seen.bottom - GAP - size.height) - all.top
      return shapes
        .filter((shape) => x < shape.x + shape.width && shape.x < x + size.width)
        .filter((shape) => y < shape.y + shape.height && shape.y < y + size.height)
        .reduce((sum, { state }) => sum + (state?.classList.contains('active') ? shapes.length : 1), 0)
    }
    // A map under the pointer stays there, since it may be dragged.
    if (isAtRest && !map.matches(':hover'))
      corner = CORNERS.reduce((best, next) => (covered(next) < covered(best) ? next : best), corner)
    const { x, y } = picture.viewBox.baseVal
    const left = Math.max(0, seen.left - all.left)
    const top = Math.max(0, seen.top - all.top)
    const shown = {
      x: x + left,
      y: y + top,
      width: Math.min(all.right, seen.right) - all.left - left,
      height: Math.min(all.bottom, seen.bottom) - all.top - top,
    }
    // Written later, so that nothing that is still to be measured in this frame needs another layout.
    requestAnimationFrame(() => {
      map.style.width = `${size.width}px`
      map.style.height = `${size.height}px`
      map.dataset.corner = corner
      map.toggleAttribute('hidden', isWhole)
      for (const [name, value] of Object.entries(shown)) sight.setAttribute(name, String(Math.max(0, value)))
    })
  }
  const drag = ({ buttons, clientX, clientY }: PointerEvent) => {
    if (buttons === 0) return
    const { left, top, width, height } = map.getBoundingClientRect()
    const all = picture.getBoundingClientRect()
    frame.scrollTo({
      left: ((clientX - left) / width) * all.width - frame.clientWidth / 2,
      top: ((clientY - top) / height) * all.height - frame.clientHeight / 2,
      behavior: 'instant',
    })
  }
  map.addEventListener('pointerdown', drag)
  map.addEventListener('pointermove', drag)
  frame.addEventListener('scroll', () => follow(false), { passive: true })
  frame.addEventListener('scrollend', () => follow(true))
  new ResizeObserver(() => {
    follow(true)
    onResize()
  }).observe(frame)
  new MutationObserver((changes) => {
    for (const { target } of changes)
      if (target instanceof Element)
        copies.get(target)?.setAttribute('class', target.getAttribute('class') ?? '')
    follow(true)
  }).observe(picture, { subtree: true, attributeFilter: ['class'] })
}
