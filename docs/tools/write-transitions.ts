import { groupBy } from './group-by.ts'
import type { Machine, State, Transition } from './read-machine.ts'

/**
 * Writes the Markdown page of a machine: its diagram, its states and its transitions.
 */
export function writeTransitions(machine: Machine, file: string): string {
  const states = machine.states.filter(({ id, type }) => id !== '' && type !== 'history')
  return `# ${titleOf(file)}

${machine.description}

${pictureOf(file, 'The states and transitions listed below.')}

Generated from [machines/${file}.ts](../../machines/${file}.ts) by \`npm run diagrams\`. For Stately's editor:
[${file}.stately.js](${file}.stately.js) to paste, [${file}.machine.json](${file}.machine.json) to import.

## States and transitions

Each state has its tags in parentheses, and in quotes what a user is shown. A transition is written as \`event [guard]\`;
\`done\` and \`error\` mean that what a state runs has finished or failed. Guards are tried in the order of the source
file. Transitions that several states share are listed last here, even if they are tried first.

${states.map((state) => stateText(state, machine)).join('\n')}${fromSeveral(machine)}
`
}

/** Writes what a state means, and the transitions from it alone. */
function stateText({ id, description, text, tags, type }: State, machine: Machine): string {
  const transitions = rowsOf(machine).filter((row) => row.length === 1 && row[0]?.from === id)
  return [
    `- **${code(id)}** (${type === 'final' ? 'final, ' : ''}${list(tags)}): ${description} “${text}”`,
    ...transitions.map((row) => `  - ${transitionText(row, machine)}`),
  ].join('\n')
}

/** Writes the transitions from any state, and those that several states share. */
function fromSeveral(machine: Machine): string {
  return rowsOf(machine)
    .filter((row) => row.length > 1 || row[0]?.from === '')
    .map(
      (row) =>
        `\n- From ${list(row.map(({ from }) => from)) || 'any state'}: ${transitionText(row, machine)}`,
    )
    .join('')
}

/** Writes the index page: a link to each machine, and the sequence diagram of one flow. */
export function writeIndex(machines: ReadonlyMap<string, Machine>): string {
  const pages = [...machines].map(([file, { id, description }]) => `- [${id}](${file}.md): ${description}`)
  return `# The machines

${pages.join('\n')}

One flow, from the request for codes to the token:

${pictureOf('sequence', 'A device asks a service for codes, shows the user code, and polls until the user has approved.')}
`
}

/** The name of a file in words. */
function titleOf(file: string): string {
  return `${file[0]?.toUpperCase()}${file.slice(1).replaceAll('-', ' ')}`
}

function pictureOf(file: string, words: string): string {
  return `<picture>
  <source media="(max-width: 600px) and (prefers-color-scheme: dark)" srcset="${file}.narrow.dark.svg">
  <source media="(max-width: 600px)" srcset="${file}.narrow.light.svg">
  <source media="(prefers-color-scheme: dark)" srcset="${file}.dark.svg">
  <img src="${file}.light.svg" alt="${words}">
</picture>`
}

/** Groups transitions that differ only in their source state. */
function rowsOf({ transitions }: Machine): Transition[][] {
  return [
    ...groupBy(transitions, ({ trigger, guard, to, actions, description }) =>
      JSON.stringify([trigger, guard, to, actions, description]),
    ).values(),
  ]
}

function transitionText(transitions: readonly Transition[], machine: Machine): string {
  const [{ trigger, guard, from, to, description }] = transitions as [Transition]
  const seconds = machine.delays[trigger.name]
  const event = trigger.kind === 'event' ? trigger.name : `${trigger.kind} ${trigger.name}`.trim()
  const time = seconds === undefined ? '' : ` (${seconds / 1000} s)`
  const condition = guard === undefined ? '' : ` [${guard}]`
  const why = description === undefined ? '' : `, ${description}`
  return `${code(event + time + condition)}${why} → ${targetText(from, to, machine)}`
}

/** A transition from a compound state to itself leaves its child as it is. */
function targetText(from: string, to: string, { states }: Machine): string {
  const target = states.find(({ id }) => id === to)
  if (target?.type === 'history' || (to === from && target?.initial !== undefined))
    return 'the same as before'
  return code(innermost(target, states))
}

/** Resolves a compound state to its initial state. */
function innermost(state: State | undefined, states: readonly State[]): string {
  const initial = states.find(({ id }) => id === state?.initial)
  return initial ? innermost(initial, states) : (state?.id ?? '')
}

function list(names: readonly string[]): string {
  return names
    .filter((name) => name !== '')
    .map(code)
    .join(', ')
}

function code(name: string): string {
  return `\`${name}\``
}
