import { readFileSync } from 'node:fs'

/** What a simulation changes in the sources, bug or not. */
export const ADAPTATIONS = readChanges('adaptations.diff').map(({ change }) => change)

/**
 * Bugs that the simulator must find, each with the profile that finds it, the logins within which it does, and how. The
 * seed is 1 if none is named.
 */
export const BUGS = Object.fromEntries(
  readChanges('bugs.diff').map(({ head, change }) => {
    const [, name, profile, logins, seed = '1', found] =
      /^(\S+): (\w+), (\d+) logins(?:, seed (\d+))?: (.+)$/.exec(head)
    return [name, { profile, logins: Number(logins), seed, found, change }]
  }),
)

/** Of a text of the sources, lines that begin with - are replaced with those that begin with +. */
function readChanges(name) {
  const changes = readFileSync(new URL(name, import.meta.url), 'utf8')
    .trim()
    .split('\n\n')
  return changes.map((described) => {
    const [head, file, ...lines] = described.split('\n')
    const side = (sign) => lines.flatMap((line) => (line.startsWith(sign) ? line.slice(1) : [])).join('\n')
    return { head, change: { file, text: side('-'), instead: side('+') } }
  })
}
