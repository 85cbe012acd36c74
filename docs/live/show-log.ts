import type { Transition } from '../tools/read-machine.ts'
import { find, make, prepend } from './elements.ts'

const KEPT = 60

/**
 * Logs a transition: when, of which machine, from which state to which, and why.
 *
 * @param error The error message, if any.
 */
export function logTransition(
  seconds: number,
  machine: 'device' | 'service',
  transition: Transition,
  to: string,
  error?: string,
): void {
  const { from, trigger, guard } = transition
  const event = trigger.kind === 'event' ? [trigger.name] : []
  const why = [...event, transition.description ?? guard ?? trigger.kind].join(': ')
  const item = make(
    'li',
    machine,
    make('span', 'at', `${seconds.toFixed(1)} s`),
    make('span', 'who', machine),
    make('span', 'transition', make('b', '', from || 'anywhere'), ' to ', make('b', '', to)),
    make('span', 'why', error === undefined ? why : `${why}: ${error}`),
  )
  prepend(find('#transitions'), item, KEPT)
}
