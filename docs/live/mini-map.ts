/** The largest width of a map in pixels, and the largest part of the height of its frame. */
const LARGEST = { width: 112, height: 0.45 }

/** Pixels around the map, also to what is brought into sight beside it. */
const GAP = 16

/**
 * Shows the whole of a picture in the corner of its frame: every state in its color, with the active one lit, the
 * arrows, and a rectangle around the part in sight, which can be dragged. Shows nothing if the whole picture is in sight.
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
  frame.after(map)

  const follow = () => {
    const all = picture.getBoundingClientRect()
    const seen = frame.getBoundingClientRect()
    const isWhole = all.width <= frame.clientWidth && all.height <= frame.clientHeight
    const scale = Math.min(LARGEST.width / all.width, (LARGEST.height * seen.height) / all.height)
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
      map.style.width = `${all.width * scale}px`
      map.style.height = `${all.height * scale}px`
      map.toggleAttribute('hidden', isWhole)
      frame.style.paddingRight = isWhole ? '' : `${all.width * scale + GAP}px`
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
  frame.addEventListener('scroll', follow, { passive: true })
  new ResizeObserver(() => {
    follow()
    onResize()
  }).observe(frame)
  new MutationObserver((changes) => {
    for (const { target } of changes)
      if (target instanceof Element)
        copies.get(target)?.setAttribute('class', target.getAttribute('class') ?? '')
  }).observe(picture, { subtree: true, attributeFilter: ['class'] })
}
