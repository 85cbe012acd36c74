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

/** `5.3s`, then `14m 32s`, then `8h 0m 20s`. */
export function timeText(milliseconds: number): string {
  if (milliseconds < 60_000) return `${Number((milliseconds / 1000).toFixed(1))}s`
  const seconds = Math.round(milliseconds / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  return `${hours ? `${hours}h ` : ''}${minutes}m ${seconds % 60}s`
}

/** The time until something, in whole seconds, minutes or hours. */
export function timeLeft(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 60) return `${seconds}s`
  return seconds < 3600 ? `${Math.round(seconds / 60)}m` : `${Math.round(seconds / 3600)}h`
}
