import type { Run } from './race.ts'

const CELLS: Readonly<Record<string, Run['outcome']>> = {
  '✓ token': 'token',
  '↻ second code': 'second code',
  '✗ ends': 'ends',
}

/** Reads the table of a guide: for each fault the outcome of each client. */
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
      new Map(cells.map((cell, column) => [names[column + 1] ?? '', CELLS[cell] ?? fail(cell)])),
    ]),
  )
}

function fail(cell: string): never {
  throw new TypeError(`not an outcome: ${cell}`)
}
