import { DrivenBothSides } from './both-sides.ts'
import { nameOfBothSidesPath as nameOf, bothSidesWalk as walk } from './both-sides-walk.ts'
import { proveWalks } from './prove-walks.ts'

proveWalks('both sides', undefined, [
  {
    title: 'both sides',
    walk,
    kind: 'shortest',
    nameOf,
    begin: () => new DrivenBothSides(),
  },
])
