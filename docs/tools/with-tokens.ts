import { labelOf } from './label.ts'
import type { Arrow, Plan, Shape } from './plan-picture.ts'
import type { Transition } from './read-machine.ts'

/** The tokens of a family, from the first to the last, and their colours. */
const TOKENS = {
  older: { name: 'older tokens', role: 'over' },
  previous: { name: 'previous token', role: 'over' },
  newest: { name: 'newest token', role: 'good' },
} as const

type Token = keyof typeof TOKENS

/** The token that a client presents, by the guard of the transition. One without a guard is taken for any older token. */
const PRESENTED: Readonly<Record<string, Token>> = {
  replays: 'previous',
  spendsNewest: 'newest',
  spentElsewhere: 'newest',
  '': 'older',
}

/** What the name of the token says already. */
const NAMED = /^(?:newest|previous|older) token[:,]?\s*/

/** Draws a family as a chain of refresh tokens in each of its states: a transition begins at the token that is presented. */
export function withTokens(plan: Plan): Plan {
  const arrows = plan.arrows.flatMap((arrow) => splitArrow(arrow, plan))
  const states = plan.shapes.filter((shape) => shape.kind === 'state' && shape.state.type !== 'final')
  const chains = states.flatMap((state) => {
    if (state.kind !== 'state') return []
    const branches = state.written.flatMap(({ transitions }) => transitions)
    return Object.entries(TOKENS).map(([token, given]): Shape => {
      const transitions = branches.filter((transition) => tokenOf(transition) === token)
      const written = transitions.map((one) => ({ ...branchOf([one], plan), target: idOf(state.id, token) }))
      return { kind: 'token', id: idOf(state.id, token), parent: state.id, ...given, written }
    })
  })
  const links = states.flatMap(({ id }) =>
    ['older', 'previous'].map((token, index): Arrow => {
      const [source, target] = [idOf(id, token), idOf(id, index === 0 ? 'previous' : 'newest')]
      return { id: `${source} > ${target}`, source, target, label: [], transitions: [], isMain: false }
    }),
  )
  const shapes = plan.shapes.map((shape) => {
    if (shape.kind === 'anywhere') {
      const own = arrows.find(({ source }) => source === shape.id)
      return own ? { ...shape, label: labelOf(own.transitions, plan.machine) } : shape
    }
    if (shape.kind !== 'state') return shape
    const rest = shape.written
      .flatMap(({ transitions }) => transitions)
      .filter((transition) => tokenOf(transition) === undefined)
    const written =
      rest.length === 0 ? [] : [{ label: labelOf(rest, plan.machine), transitions: rest, target: shape.id }]
    return { ...shape, written }
  })
  return { ...plan, shapes: [...shapes, ...chains], arrows: [...arrows, ...links] }
}

/** Has those transitions of an arrow begin at a token that lead out of a state when it is presented. */
function splitArrow(arrow: Arrow, plan: Plan): Arrow[] {
  const presented = arrow.transitions.filter((transition) => tokenOf(transition) !== undefined)
  const rest = arrow.transitions.filter((transition) => !presented.includes(transition))
  const own = presented.map((transition): Arrow => {
    const source = idOf(transition.from, tokenOf(transition) ?? '')
    const id = `${source} > ${arrow.target}`
    return { ...arrow, ...branchOf([transition], plan), id, source }
  })
  return rest.length === 0 ? own : [{ ...arrow, transitions: rest }, ...own]
}

function branchOf(transitions: readonly Transition[], { machine }: Plan) {
  const label = labelOf(transitions, machine).map(({ trigger, condition }) => ({
    trigger,
    condition: condition.replace(NAMED, ''),
  }))
  return { label, transitions }
}

function tokenOf({ trigger, guard = '' }: Transition): Token | undefined {
  return trigger.name === 'refresh' ? PRESENTED[guard] : undefined
}

function idOf(state: string, token: string): string {
  return `${state}.${token}`
}
