import { deviceGrant } from 'authgraph/machines'
import { announce, find } from './elements.ts'
import { Lights } from './lights.ts'
import type { Moment } from './story.ts'
import type { Grant } from './watched-service.ts'

/** What happened when the service came to a state. The device tells the rest. */
const CAPTIONS: { readonly [State in Grant['state']]?: string } = {
  approved: 'The user approved. The next poll gets the token.',
  denied: 'The user denied the request. The next poll will tell the device.',
  issuing: 'The service issues the token, once, to this poll.',
}

/** The events of the user, by the states that they lead to. */
const DECISIONS: { readonly [State in Grant['state']]?: readonly string[] } = {
  approved: ['approve'],
  denied: ['deny'],
}

/** The states that are announced. Announcing every poll would be too much. */
const DECIDED = new Set<Grant['state']>(['approved', 'denied', 'authorized', 'expired'])

/** The ID of a state by its short name: some have a parent state. */
const idOf = (state: Grant['state']) =>
  state in (deviceGrant.states.undecided?.states ?? {}) ? `undecided.${state}` : state

/** What the page shows of a grant. */
type Shown = Pick<Grant, 'state'>

/** The service on the page: its machine, which shows the states of a grant. */
export class ServiceSide {
  readonly #lights = new Lights('service', deviceGrant, 'service')

  clear(): void {
    this.#lights.clear()
    find('#service-text').textContent = 'No device has requested codes yet.'
  }

  /**
   * @param at Milliseconds since the story began.
   */
  momentOf(before: Shown | undefined, after: Shown, at: number): Moment {
    const id = idOf(after.state)
    const transition =
      before &&
      this.#lights.find(idOf(before.state), id, ({ trigger }) =>
        (DECISIONS[after.state] ?? ['poll', 'issued', 'notIssued']).includes(trigger.name),
      )
    return {
      at,
      state: this.#lights.shown(id),
      caption: after.state === before?.state ? undefined : CAPTIONS[after.state],
      paint: (isNow) => {
        if (transition) this.#lights.take(transition, id, at, isNow)
        this.#lights.light(id)
        const text = this.#lights.textOf(id)
        find('#service-text').textContent = text
        if (isNow && DECIDED.has(after.state)) announce(`Service: ${text}`)
      },
    }
  }
}
