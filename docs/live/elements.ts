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

/** Minutes and seconds. */
export function clockTime(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
