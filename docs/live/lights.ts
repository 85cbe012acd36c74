import type { AnyStateMachine } from 'xstate'
import { type Machine, readMachine, type Transition } from '../tools/read-machine.ts'
import { find, make, prepend, timeText } from './elements.ts'
import { framePicture, lightState, roleOf } from './framed-picture.ts'

/** Transitions that the log keeps. */
const KEPT = 60

/** Lights the active state and the taken transitions in the picture of a machine. */
export class Lights {
  readonly machine: Machine
  readonly #frame: HTMLElement
  readonly #who: string

  /** @param who The name of the machine in the log. */
  constructor(frame: string, machine: AnyStateMachine, who: string) {
    this.machine = readMachine(machine)
    this.#frame = find(frame)
    this.#who = who
    framePicture(this.#frame)
  }

  /** Lights a state and its parents; `undefined` lights nothing. */
  light(state: string | undefined): void {
    lightState(this.#frame, state)
  }

  /** Marks a transition that was taken, and logs it. Its arrow flashes if that has just happened. */
  take({ id, from, trigger, guard, description }: Transition, to: string, at: number, isNow: boolean): void {
    for (const drawn of this.#frame.querySelectorAll<SVGGElement>('[data-transitions]')) {
      if (!drawn.dataset.transitions?.split(' ').includes(id)) continue
      drawn.classList.remove('taken')
      // The animation restarts only after the browser has noticed that the class is gone.
      if (isNow) drawn.getBoundingClientRect()
      drawn.classList.add(...(isNow ? ['taken', 'walked'] : ['walked']))
    }
    const event = trigger.kind === 'event' ? [trigger.name] : []
    const why = [...event, description ?? guard ?? trigger.kind].join(': ')
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

  /** Resets the picture. */
  clear(): void {
    this.light(undefined)
    for (const drawn of this.#frame.querySelectorAll('.taken, .walked'))
      drawn.classList.remove('taken', 'walked')
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
