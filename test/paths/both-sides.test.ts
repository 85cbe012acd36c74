import { DrivenBothSides } from './both-sides.ts'
import { bothSidesWalk as walk } from './both-sides-walk.ts'
import { proveWalks } from './prove-walks.ts'

proveWalks('both sides', undefined, [
  {
    title: 'both sides',
    walk,
    kind: 'shortest',
    nameOf: (path) => path.map(({ step }) => walk.labelOf(step)).join(', then '),
    begin: () => new DrivenBothSides(),
  },
])
