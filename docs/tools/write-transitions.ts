import { groupBy } from './group-by.ts'
import type { Machine, State, Transition } from './read-machine.ts'

/**
 * Writes the Markdown page of a machine: its diagram, its transition table and its states.
 */
export function writeTransitions(machine: Machine, file: string): string {
  const states = machine.states.filter(({ id, type }) => id !== '' && type !== 'history')
  return `# ${titleOf(file)}

${machine.description}

${pictureOf(file, 'The states and transitions that the tables below list.')}

Generated from [machines/${file}.ts](../../machines/${file}.ts) by \`npm run diagrams\`. For Stately's editor:
[${file}.stately.js](${file}.stately.js) to paste, [${file}.machine.json](${file}.machine.json) to import.

## Transitions

${table(
  ['State', 'Event [guard] / actions', 'Next state'],
  rowsOf(machine).map((transitions) => transitionRow(transitions, machine)),
)}

## States

${table(
  ['State', 'Meaning', 'What a user is shown', 'Tags'],
  states.map(({ id, description, text, tags, invokes, type }) => [
    code(id) + (type === 'final' ? ' (final)' : ''),
    [description, ...invokes.map((name) => `Runs ${code(name)}.`)].join(' '),
    text,
    list(tags),
  ]),
)}
`
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

/** Groups transitions into table rows: those in a row differ only in their source state. */
export function rowsOf({ transitions }: Machine): Transition[][] {
  return [
    ...groupBy(transitions, ({ trigger, guard, to, actions, description }) =>
      JSON.stringify([trigger, guard, to, actions, description]),
    ).values(),
  ]
}

function transitionRow(transitions: readonly Transition[], machine: Machine): string[] {
  const [{ trigger, guard, to, actions, description = '' }] = transitions as [Transition]
  const seconds = machine.delays[trigger.name]
  const name = trigger.kind === 'event' ? trigger.name : `${trigger.kind} ${trigger.name}`.trim()
  const time = seconds === undefined ? '' : ` (${seconds / 1000} s)`
  const condition = guard === undefined ? '' : ` [${guard}]`
  const effect = actions.length === 0 ? '' : ` / ${actions.join(', ')}`
  return [
    list(transitions.map(({ from }) => from)) || 'any',
    [description, code(name + time + condition + effect)].filter(Boolean).join('<br>'),
    targetText(to, machine),
  ]
}

function targetText(to: string, { states }: Machine): string {
  const target = states.find(({ id }) => id === to)
  if (target?.type === 'history') return 'the same as before'
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

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[], fill: string) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(' | ')} |`
  return [
    line(head, ' '),
    line(
      head.map(() => ''),
      '-',
    ),
    ...rows.map((row) => line(row, ' ')),
  ].join('\n')
}
