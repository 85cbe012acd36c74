import type { AnyStateMachine } from 'xstate'
import { type Machine, readMachine, type Transition } from '../tools/read-machine.ts'
import { find, make, prepend, timeText } from './elements.ts'
import { lightState, lightTransitions, roleOf } from './lit-picture.ts'

/** Transitions that the log keeps. */
const KEPT = 60

/** Lights the active state and the taken transitions in the picture of a machine. */
export class Lights {
  readonly machine: Machine
  readonly #section: string
  readonly #frame: HTMLElement
  readonly #who: string
  readonly #walked = new Set<string>()

  /**
   * @param section The section of the page that shows the machine.
   * @param who The name of the machine in the log.
   */
  constructor(section: string, machine: AnyStateMachine, who: string) {
    this.machine = readMachine(machine)
    this.#section = section
    this.#frame = find(`#${section}-picture`)
    this.#who = who
  }

  /** Lights a state and its parents, and writes its name wherever the page asks for it; `undefined` lights nothing. */
  light(state: string | undefined): void {
    lightState(find(`#${this.#section}`), state)
    for (const word of document.querySelectorAll<HTMLElement>(`[data-lit="${this.#section}"]`)) {
      word.textContent = state?.split('.').at(Number(word.dataset.level)) ?? '–'
      word.dataset.role = state === undefined ? '' : this.roleOf(state)
    }
  }

  /** Marks a transition that was taken, and logs it. Its line flashes if that has just happened. */
  take({ id, from, trigger, guard, description }: Transition, to: string, at: number, isNow: boolean): void {
    // The animation restarts only after the browser has noticed that the line is no longer lit.
    lightTransitions(this.#frame, this.#walked, new Set())
    this.#frame.classList.toggle('moves', isNow)
    if (isNow) this.#frame.getBoundingClientRect()
    lightTransitions(this.#frame, this.#walked.add(id), new Set([id]))
    const event = trigger.kind === 'event' ? [trigger.name] : []
    const why = [...event, description ?? guard ?? trigger.kind].join(': ')
    find(`#${this.#section}-reason`).replaceChildren(
      make('b', '', `${from || 'anywhere'} → ${to}`),
      make('span', '', why),
    )
    const item = make(
      'li',
      '',
      make('span', 'at', timeText(at)),
      make('span', 'who', this.#who),
      make('span', 'transition', make('b', '', from || 'anywhere'), ' to ', make('b', '', to)),
      make('span', 'why', why),
    )
    prepend(find('#transitions'), item, KEPT)
  }

  /** Adds the cause to the newest transition of the log. */
  explain(cause: string): void {
    find('#transitions .why').append(`: ${cause}`)
  }

  /** A state as the strip shows it. */
  shown(state: string): { readonly name: string; readonly role: string } {
    return { name: state.split('.').at(-1) ?? '', role: this.roleOf(state) }
  }

  /** Resets the picture. */
  clear(): void {
    this.light(undefined)
    find(`#${this.#section}-reason`).replaceChildren()
    this.#walked.clear()
    lightTransitions(this.#frame, this.#walked, this.#walked)
  }

  /** Finds the transition between two states, or from a parent of the first, for a reason. */
  find(from: string, to: string, isReason: (transition: Transition) => boolean): Transition | undefined {
    return this.machine.transitions.find(
      (transition) =>
        `${from}.`.startsWith(`${transition.from}.`) && transition.to === to && isReason(transition),
    )
  }

  /** The transition of a state for an event, by its index among them. */
  branch(from: string, event: string, index: number): Transition | undefined {
    return this.machine.transitions.filter(
      (transition) => transition.from === from && transition.definition.eventType === event,
    )[index]
  }

  roleOf(state: string): string {
    return roleOf(this.#frame, state)
  }

  /** The text of a state. */
  textOf(state: string): string {
    return this.machine.states.find(({ id }) => id === state)?.text ?? ''
  }
}
