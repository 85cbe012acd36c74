import type { AnyStateMachine } from 'xstate'
import { deviceAuthorization } from '../../machines/device-authorization.ts'
import { deviceGrant } from '../../machines/device-grant.ts'
import { refreshFamily } from '../../machines/refresh-family.ts'
import { session } from '../../machines/session.ts'
import { STATE_ROLES } from '../../src/pictures/state-roles.ts'
import type { Scheme } from '../../src/pictures/svg.ts'
import { drawCompact } from './draw-compact.ts'
import { drawMachine } from './draw-machine.ts'
import { drawSequence } from './draw-sequence.ts'
import { layOut } from './lay-out.ts'
import { ONE_AUTHORIZATION } from './one-authorization.ts'
import { type CompactLayout, placeCompact } from './place-compact.ts'
import type { Grid } from './place-in-grid.ts'
import type { Layout } from './places.ts'
import { type Plan, planPicture } from './plan-picture.ts'
import { readMachine } from './read-machine.ts'
import { stack } from './stack.ts'
import { withTokens } from './with-tokens.ts'
import { writeJson, writeModule } from './write-config.ts'
import { writeIndex, writeTransitions } from './write-transitions.ts'

/** The machines, by the name of their file. */
export const MACHINES: Readonly<Record<string, AnyStateMachine>> = {
  'device-authorization': deviceAuthorization,
  'device-grant': deviceGrant,
  session,
  'refresh-family': refreshFamily,
}

/** The states that the exported machines lead through, by the name of their file. */
export const WAYS: Readonly<Record<string, readonly string[]>> = {
  'device-authorization': ['starting', 'requesting', 'requested', 'polling', 'authorized'],
  'device-grant': ['requested', 'pending', 'approved', 'issuing', 'authorized'],
  session: ['restoring', 'signedIn', 'claiming', 'refreshing', 'settling', 'signedIn'],
  'refresh-family': ['active', 'issuing', 'active', 'revoked'],
}

/** The same for pictures without labels, where they need another one. */
const COMPACT_GRIDS: typeof GRIDS = {
  'device-authorization': {
    '': ['. starting', '. requesting', '. waiting', 'failed polling expired', 'denied authorized cancelled'],
    waiting: ['retrying slowed requested pending'],
  },
  'refresh-family': { '': ['. active', '. issuing', 'revoked . expired'] },
}

/** The machine whose compact picture the README shows in the scheme of the reader. */
const OF_THE_README = 'device-authorization'

/** Where their states stand: the main path in one column, faults to the left of it, ends to the right. */
const GRIDS: Readonly<Record<string, Grid>> = {
  'device-authorization': {
    '': [
      '. starting',
      '. requesting',
      '. waiting',
      '. polling . expired',
      '. . . >cancelled',
      'failed authorized denied cancelled',
    ],
    waiting: ['retrying slowed requested pending'],
  },
  'device-grant': {
    '': ['. undecided', 'denied approved expired', '. issuing >expired', '. authorized'],
    undecided: ['>slowed . >pending', 'slowed requested pending'],
  },
  session: {
    '': [
      '. >restoring >authorizing',
      'unavailable restoring authorizing',
      'ended signedIn signedOut',
      '. claiming waiting',
      '. refreshing >erasing',
      '>settling settling erasing',
      'unsettled . revoking',
    ],
  },
  'refresh-family': {
    '': ['. active', '. issuing', '>revoked . >expired', 'revoked . expired'],
    active: ['older previous newest'],
    issuing: ['older previous newest'],
  },
}

/** Pixels of the widest picture whose letters have 12 pixels in the column of the site, 736 pixels wide. A wider one is drawn as on a phone. */
export const WIDEST = 795

/** Lays out every machine, by the name of its file. */
export function layouts(): Map<string, Layout> {
  return new Map(
    Object.entries(MACHINES).map(([file, machine]) => {
      const plan = planOf(file, machine)
      return [file, layOut(machine === refreshFamily ? withTokens(plan) : plan, GRIDS[file] ?? {}, WIDEST)]
    }),
  )
}

/** Lays out the picture without labels of a machine. */
export function compactLayout(file: string): CompactLayout {
  return placeCompact(
    planOf(file, MACHINES[file] as AnyStateMachine),
    COMPACT_GRIDS[file] ?? GRIDS[file] ?? {},
  )
}

function planOf(file: string, machine: AnyStateMachine): Plan {
  return planPicture(readMachine(machine), { way: WAYS[file] ?? [], roles: STATE_ROLES })
}

/** Makes everything in `docs/machines`: the contents of each file, by its name. */
export function diagrams(laidOut: ReadonlyMap<string, Layout>): Map<string, string> {
  const pages = [...laidOut].flatMap(([file, layout]) => pagesOf(file, layout))
  const machines = new Map([...laidOut].map(([file, { plan }]) => [file, plan.machine]))
  return new Map([
    ...pages,
    ...inSchemes('sequence', (scheme) => drawSequence(ONE_AUTHORIZATION, scheme, 'wide')),
    ...narrow('sequence', (scheme) => drawSequence(ONE_AUTHORIZATION, scheme, 'narrow')),
    ['README.md', writeIndex(machines)],
  ])
}

function pagesOf(file: string, layout: Layout): [string, string][] {
  const machine = MACHINES[file] as AnyStateMachine
  const small = compactLayout(file)
  const compact = (scheme: Scheme) => drawCompact(small, scheme)
  return [
    ...inSchemes(file, (scheme) => drawMachine(layout, scheme)),
    ...narrow(file, (scheme) => drawMachine(stack(layout.plan), scheme)),
    [`${file}.compact.svg`, compact('auto')],
    ...(file === OF_THE_README ? inSchemes(`${file}.compact`, compact) : []),
    [`${file}.md`, writeTransitions(layout.plan.machine, file)],
    [`${file}.machine.json`, writeJson(machine)],
    [`${file}.stately.js`, writeModule(machine, WAYS[file] ?? [])],
  ]
}

/** For screens of phones. */
function narrow(file: string, draw: (scheme: Scheme) => string): [string, string][] {
  return (['light', 'dark'] as const).map((scheme) => [`${file}.narrow.${scheme}.svg`, draw(scheme)])
}

function inSchemes(file: string, draw: (scheme: Scheme) => string): [string, string][] {
  return [
    [`${file}.svg`, draw('auto')],
    [`${file}.light.svg`, draw('light')],
    [`${file}.dark.svg`, draw('dark')],
  ]
}
