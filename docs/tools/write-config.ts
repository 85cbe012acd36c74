import type { AnyStateMachine } from 'xstate'

/** Writes the config of a machine as JSON, which `createMachine` and Stately take. Functions are left out. */
export function writeJson(machine: AnyStateMachine): string {
  return `${JSON.stringify(machine.config, null, 2)}\n`
}

/** Writes the config as one literal in a file of its own, as Stately's importer reads it: no names from elsewhere. */
export function writeLiteral(machine: AnyStateMachine): string {
  const literal = JSON.stringify(machine.config, null, 2).replaceAll(/^(\s*)"([A-Za-z]\w*)":/gm, '$1$2:')
  return `import { createMachine } from 'xstate'

export const ${machine.id} = createMachine(${literal})
`
}
