import { LANES } from './faults.ts'
import type { Run } from './race.ts'

const MARKS: Readonly<Record<string, Run['outcome']>> = { '✓': 'token', '↻': 'second code', '✗': 'ends' }

/** Reads the table of a guide: for each fault the outcome of each client, as in its README and, in parentheses, with care. */
export function readOutcomes(guide: string): ReadonlyMap<string, ReadonlyMap<string, Run['outcome']>> {
  const [names = [], , ...rows] = guide
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
  return new Map(
    rows.map(([fault = '', ...cells]) => [
      fault,
      new Map(
        LANES.flatMap(({ plain, careful }) => {
          const cell = cells[names.indexOf(plain) - 1] ?? ''
          const [, first = '', second = first] = /^(.)(?: \((.)\))?$/.exec(cell) ?? []
          return [
            [plain, MARKS[first] ?? fail(cell)],
            [careful, MARKS[second] ?? fail(cell)],
          ] as const
        }),
      ),
    ]),
  )
}

function fail(cell: string): never {
  throw new TypeError(`not an outcome: ${cell}`)
}
