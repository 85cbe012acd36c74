import type { Role } from '../../src/pictures/theme.ts'
import type { Run } from './race.ts'

/** What a login does, from a second on. */
export interface Segment {
  readonly from: number
  readonly role: Role
  readonly words: string
}

/** Seconds that a segment lasts at least. A shorter one belongs to the next. */
const SHORTEST = 0.5

const WAITING = { role: 'waiting', words: 'waiting' } as const
const RETRYING = { role: 'retrying', words: 'retrying' } as const

/** What a login does, from the first code to its end. */
export function segmentsOf(run: Run, isRestarted: boolean): readonly Segment[] {
  const [first = 0, second] = run.codes
  const [gone = 0, back = 0] = run.gap ?? []
  const segments: Segment[] = [{ from: first, ...WAITING }]
  if (isRestarted)
    segments.push({ from: gone, role: 'over', words: 'stopped' }, { from: second ?? back, ...WAITING })
  for (const { at, until, result } of run.polls) {
    if (result === 'pending') segments.push({ from: until, ...WAITING })
    if (result === 'slow_down') segments.push({ from: until, role: 'retrying', words: 'slowed down' })
    if (result !== 'fault') continue
    if (run.gap) segments.push({ from: at, role: 'over', words: 'asleep' })
    else if (until - at > 1) segments.push({ from: at, role: 'retrying', words: 'no response' })
    segments.push({ from: run.gap || until - at > 1 ? until : at, ...RETRYING })
  }
  const shown = segments
    .sort((one, other) => one.from - other.from)
    .map((segment) =>
      second !== undefined && segment.from >= second && segment.role === 'waiting'
        ? ({ from: segment.from, role: 'retrying', words: 'second code' } as const)
        : segment,
    )
  const kept: Segment[] = []
  for (const segment of [...shown, { from: run.end, ...endOf(run) }]) {
    const before = kept.at(-1)
    if (before?.words === segment.words) continue
    const isShort = before !== undefined && segment.from - before.from < SHORTEST
    kept.push(isShort ? { ...segment, from: kept.pop()?.from ?? segment.from } : segment)
  }
  return kept
}

function endOf({ outcome, error = '' }: Run): Omit<Segment, 'from'> {
  return outcome === 'ends' ? { role: 'bad', words: error } : { role: 'good', words: 'token' }
}
