import { find, make } from '../live/elements.ts'
import { lightState, lightTransitions, roleOf } from '../live/lit-picture.ts'
import { isIn } from '../tools/read-machine.ts'
import { pathTo, type Step, type Tree } from './paths.ts'

/** The pictures of the machines of a graph, lit as far as a path has come. */
export class Stage {
  #frames: readonly HTMLElement[] = []
  #tree: Tree | undefined

  /** Shows the machines of a graph. */
  show(tree: Tree): void {
    this.#tree = tree
    this.#frames = tree.machines.map(({ name, file }) => {
      const frame = make('div', 'picture')
      frame.append(find<HTMLTemplateElement>(`#picture-${file}`).content.cloneNode(true))
      frame.setAttribute('role', 'group')
      frame.setAttribute('aria-label', `The machine of the ${name}`)
      return frame
    })
    const machines = tree.machines.map(({ name }, machine) =>
      make('section', 'machine card', make('h3', '', name), this.#frames[machine] ?? ''),
    )
    find('#pictures').replaceChildren(...machines)
  }

  /** Lights the states after a step, and the arrows that led there. */
  light(step: Step | undefined): void {
    const path = pathTo(step)
    this.#frames.forEach((frame, machine) => {
      const visited = path.map(({ states }) => states[machine] ?? [])
      const state = visited.flat().at(-1)
      const { walked, taken, entered } = this.#arrows(machine, visited)
      lightTransitions(frame, walked, taken)
      for (const drawn of frame.querySelectorAll<SVGGElement>('[data-state]'))
        drawn.classList.toggle('entered', entered.has(drawn.dataset.state ?? ''))
      lightState(frame, state)
    })
  }

  /** The colour of a state, as it is drawn. */
  roleOf(machine: number, state: string): string {
    const frame = this.#frames[machine]
    return frame ? roleOf(frame, state) : ''
  }

  #arrows(machine: number, visited: readonly (readonly string[])[]) {
    const walked = new Set<string>()
    const taken = new Set<string>()
    const entered = new Set<string>()
    let from: string | undefined
    visited.forEach((states, index) => {
      for (const to of states) {
        if (from === undefined) for (const id of inside('', to)) entered.add(id)
        for (const [id, , target] of this.#between(machine, from, to)) {
          walked.add(id)
          if (index === visited.length - 1) taken.add(id)
          for (const initial of inside(target, to)) entered.add(initial)
        }
        from = to
      }
    })
    return { walked, taken, entered }
  }

  /** The transitions from a state, or from one around it, to another, or to the one that begins with it. */
  #between(machine: number, from: string | undefined, to: string) {
    if (from === undefined || from === to) return []
    const transitions = this.#tree?.machines[machine]?.transitions ?? []
    return transitions.filter(
      ([, source, target]) => (source === '' || isIn(from, source)) && isIn(to, target),
    )
  }
}

/** The states from one around a state, which is left out, down to it: each but the first is initial in the one before. */
function inside(around: string, state: string): string[] {
  const names = state.split('.')
  return names
    .map((_, index) => names.slice(0, index + 1).join('.'))
    .filter((id) => id.length > around.length)
}
