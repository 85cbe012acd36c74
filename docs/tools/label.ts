import { groupBy } from './group-by.ts'
import type { Machine, Transition } from './read-machine.ts'

/** One line beside an arrow: what triggers it, and under which condition. */
export interface Line {
  /** In bold letters: the event, or what happens. */
  readonly trigger: string
  readonly condition: string
}

export type Label = readonly Line[]

/** The lines of a group of transitions: one for each condition. */
export function labelOf(transitions: readonly Transition[], machine: Machine): Label {
  const groups = groupBy(
    transitions,
    (transition) =>
      transition.description ??
      (guardText(transition, machine) || `\n${triggerText(transition.trigger, machine)}`),
  )
  return [...groups.values()]
    .map((group) => lineOf(group, machine))
    .filter(({ trigger, condition }) => trigger + condition !== '')
}

/** An event is known by its name. What else happens has a description, or a name of XState. */
function lineOf(group: readonly Transition[], machine: Machine): Line {
  const [first] = group as [Transition]
  const namesOf = (transitions: readonly Transition[]) =>
    [...new Set(transitions.map(({ trigger }) => triggerText(trigger, machine)))].filter(Boolean).join(', ')
  const { description } = first
  if (description === undefined) return { trigger: namesOf(group), condition: guardText(first, machine) }
  const events = group.filter(({ trigger }) => trigger.kind === 'event')
  if (events.length === group.length) return { trigger: namesOf(group), condition: description }
  return { trigger: description, condition: events.length > 0 ? `(${namesOf(events)})` : '' }
}

/** What triggers a transition, in a word or two. */
export function triggerText({ kind, name }: Transition['trigger'], { delays }: Machine): string {
  if (kind === 'event' || kind === 'always') return name
  if (kind !== 'after') return kind
  const delay = delays[name] ?? Number(name)
  return Number.isNaN(delay) ? `after ${name}` : `after ${delay / 1000} s`
}

/** The name of a guard, or `otherwise` for the last of several branches. */
function guardText({ id, from, trigger, guard }: Transition, { transitions }: Machine): string {
  if (guard !== undefined) return `[${guard}]`
  const isBranch = transitions.some(
    (other) =>
      other.id !== id &&
      other.from === from &&
      other.trigger.kind === trigger.kind &&
      other.trigger.name === trigger.name,
  )
  return isBranch ? 'otherwise' : ''
}
