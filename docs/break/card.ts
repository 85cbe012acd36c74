import { element } from '../../src/pictures/svg.ts'
import { drawRace, type Lane, verdictOf } from './draw-race.ts'
import { FAULTS, type Fault, LANES } from './faults.ts'
import type { Run } from './race.ts'

/** Seconds that the animation takes at most: the page plays a fault after another. */
const LONGEST = 3.5

/** What the build recorded. */
export interface Recorded {
  /** The versions of the clients, with care too. */
  readonly versions: readonly (readonly [plain: string, careful: string])[]
  /** By fault: the runs of all lanes as in their READMEs, then with care. */
  readonly runs: Record<string, [plain: readonly Run[], careful: readonly Run[]]>
}

/** What the card shows. */
export interface Choice {
  readonly fault: Fault
  readonly isCareful: boolean
}

/** The faults that have a button. */
export const SHOWN = FAULTS.filter(({ title }) => title !== '')

/** The choice in the address of the page, such as `#break=503&care=1`. */
export function choiceOf(hash: string): Choice {
  const parameters = new URLSearchParams(hash.slice(1))
  const fault = SHOWN.find(({ id }) => id === parameters.get('break')) ?? (SHOWN[0] as Fault)
  return { fault, isCareful: parameters.get('care') === '1' }
}

/** The address of a choice. */
export function hashOf({ fault, isCareful }: Choice): string {
  return `#break=${fault.id}${isCareful ? '&care=1' : ''}`
}

/** The runs of a choice. */
export function runsOf({ runs }: Recorded, { fault, isCareful }: Choice): readonly Run[] {
  return runs[fault.id ?? '']?.[isCareful ? 1 : 0] ?? []
}

/** A link to each fault, with a mark for the outcome of each lane. */
export function faultLinks(recorded: Recorded, choice: Choice): string {
  const links = SHOWN.map((fault) => {
    const one = { ...choice, fault }
    const runs = runsOf(recorded, one)
    const marks = runs.map((run) => element('i', { class: verdictOf(run)[0] }, ''))
    const outcomes = runs.map(({ outcome }, lane) => `${LANES[lane]?.name}: ${outcome}`).join(', ')
    return element(
      'a',
      { href: hashOf(one), 'aria-current': fault === choice.fault ? 'true' : undefined },
      fault.label,
      element('span', { class: 'marks', role: 'img', 'aria-label': outcomes }, ...marks),
    )
  })
  return links.join('\n')
}

/** The picture of a choice, which plays once. */
export function raceSvg(recorded: Recorded, choice: Choice, width: number, isTall = false): string {
  const { fault, isCareful } = choice
  const lanes = runsOf(recorded, choice).map(
    (run, lane): Lane => ({
      name: LANES[lane]?.name ?? '',
      version: recorded.versions[lane]?.[isCareful ? 1 : 0] ?? '',
      run,
    }),
  )
  const { height, content, playing } = drawRace(lanes, fault, width, isTall)
  const results = lanes.map(
    ({ name, run }) => `${name} ${verdictOf(run).slice(1).join(', ')}. ${run.error ?? ''}`,
  )
  const attributes = {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
    'aria-label': `${fault.title} ${results.join(' ')}`,
    style: `--playing:${Math.min(LONGEST, playing).toFixed(1)}s`,
  }
  return element('svg', attributes, ...content)
}
