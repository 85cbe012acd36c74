import { isIn, type Machine, type Transition } from './read-machine.ts'

/**
 * Finds the transitions that lead from one state to the next.
 *
 * @param way Names of states.
 * @throws TypeError where no transition does.
 */
export function alongWay(way: readonly string[], { states, transitions }: Machine): Set<Transition> {
  const idOf = (name: string) => states.find((state) => state.name === name)?.id ?? name
  return new Set(
    way.slice(1).flatMap((to, index) => {
      const from = way[index] ?? ''
      const found = transitions.filter(
        (transition) => isIn(idOf(from), transition.from) && isIn(idOf(to), transition.to),
      )
      if (found.length === 0) throw new TypeError(`no transition leads from "${from}" to "${to}"`)
      return found
    }),
  )
}
