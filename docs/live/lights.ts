import type { Machine, Transition } from '../tools/read-machine.ts'

/** Lights the active state and the taken transitions in the picture of a machine. */
export class Lights {
  readonly #picture: Element
  readonly #machine: Machine
  readonly #calm = matchMedia('(prefers-reduced-motion: reduce)')

  constructor(picture: Element, machine: Machine) {
    this.#picture = picture
    this.#machine = machine
    picture.scrollLeft = (picture.scrollWidth - picture.clientWidth) / 2
  }

  /** Lights a state and its parents; `undefined` lights nothing. */
  light(state: string | undefined): void {
    for (const drawn of this.#picture.querySelectorAll<SVGGElement>('[data-state]')) {
      const id = drawn.dataset.state ?? ''
      drawn.classList.toggle('active', state === id || (state ?? '').startsWith(`${id}.`))
    }
    this.#follow()
  }

  /** Shows that a transition was taken: its arrow flashes and stays marked. */
  flash(transition: Transition): void {
    for (const drawn of this.#picture.querySelectorAll<SVGGElement>('[data-transitions]')) {
      if (!drawn.dataset.transitions?.split(' ').includes(transition.id)) continue
      drawn.classList.remove('taken')
      // The animation restarts only after the browser has noticed that the class is gone.
      drawn.getBoundingClientRect()
      drawn.classList.add('taken', 'walked')
    }
  }

  /** Resets the picture. */
  clear(): void {
    this.light(undefined)
    for (const drawn of this.#picture.querySelectorAll('.taken, .walked'))
      drawn.classList.remove('taken', 'walked')
  }

  /** Finds the transition between two states, or from a parent of the first, for a reason. */
  find(from: string, to: string, isReason: (transition: Transition) => boolean): Transition | undefined {
    return this.#machine.transitions.find(
      (transition) =>
        `${from}.`.startsWith(`${transition.from}.`) && transition.to === to && isReason(transition),
    )
  }

  /** Scrolls to the lit state if the picture is larger than its viewport. */
  #follow(): void {
    const lit = [...this.#picture.querySelectorAll<SVGGElement>('.active')].at(-1)
    if (lit === undefined || this.#picture.scrollHeight <= this.#picture.clientHeight) return
    const here = this.#picture.getBoundingClientRect()
    const there = lit.getBoundingClientRect()
    this.#picture.scrollBy({
      left: there.left + there.width / 2 - here.left - here.width / 2,
      top: there.top + there.height / 2 - here.top - here.height / 2,
      behavior: this.#calm.matches ? 'instant' : 'smooth',
    })
  }
}
