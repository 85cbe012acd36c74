/** Lights a state and its parents in a picture; `undefined` lights nothing. */
export function lightState(frame: Element, state: string | undefined): void {
  for (const drawn of frame.querySelectorAll<SVGGElement>('[data-state]'))
    drawn.classList.toggle('active', `${state ?? ''}.`.startsWith(`${drawn.dataset.state}.`))
}

/** Lights the lines of transitions: of all that were taken so far, and of those that were taken last. */
export function lightTransitions(
  frame: Element,
  walked: ReadonlySet<string>,
  taken: ReadonlySet<string>,
): void {
  for (const drawn of frame.querySelectorAll<SVGGElement>('[data-transitions]')) {
    const ids = drawn.dataset.transitions?.split(' ') ?? []
    for (const [name, lit] of Object.entries({ walked, taken })) {
      const isLit = ids.some((id) => lit.has(id))
      drawn.classList.toggle(name, isLit)
    }
  }
}

/** The role of a state, which gives it its color. */
export function roleOf(frame: Element, state: string): string {
  const drawn = frame.querySelector(`[data-state="${state}"]`)
  return [...(drawn?.classList ?? [])].find((name) => name !== 'state' && name !== 'active') ?? ''
}
