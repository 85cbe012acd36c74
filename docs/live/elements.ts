/** Finds an element of the page. */
export function find<E extends Element = HTMLElement>(selector: string): E {
  const found = document.querySelector<E>(selector)
  if (found === null) throw new TypeError(`the page has no ${selector}`)
  return found
}

/** Creates an element with a class and children. Never parses text as HTML. */
export function make(name: string, className: string, ...children: readonly (Node | string)[]): HTMLElement {
  const element = document.createElement(name)
  if (className !== '') element.className = className
  element.append(...children)
  return element
}

/** Adds an item to the start of a list, and drops the oldest beyond `most`. */
export function prepend(list: Element, item: Element, most: number): void {
  list.prepend(item)
  while (list.children.length > most) list.lastElementChild?.remove()
}

/** Announces a text to screen readers, once. */
export function announce(words: string): void {
  const announcer = find('#announcer')
  if (announcer.textContent !== words) announcer.textContent = words
}

/** Whether the user prefers pages that do not move. */
export function isCalm(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}

/** Seconds, or hours, minutes and seconds. */
export function timeText(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000)
  if (seconds < 120) return `${(milliseconds / 1000).toFixed(1)} s`
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}
