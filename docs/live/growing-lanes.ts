import { find } from './elements.ts'
import { type LaneMessage, type LaneStep, Lanes } from './lanes.ts'

/** Lanes that grow as a story unfolds. The last ones are shown when something happens in them. */
export class GrowingLanes {
  readonly #names: readonly string[]
  readonly #least: number
  readonly #lanes: Lanes
  #steps: LaneStep[] = []
  #frame = 0

  /** @param least How many lanes are shown from the start. */
  constructor(names: readonly string[], least: number, roleOf: (lane: number, state: string) => string) {
    this.#names = names
    this.#least = least
    this.#lanes = new Lanes(find('#lanes'), roleOf)
  }

  clear(): void {
    this.#steps = []
    this.#draw()
  }

  /**
   * Adds a new state of a lane, or a message.
   *
   * @param at Milliseconds since the story began.
   */
  add(at: number, what: { readonly lane: number; readonly state: string } | LaneMessage): void {
    const states = [...(this.#steps.at(-1)?.states ?? this.#names.map(() => undefined))]
    if ('lane' in what) states[what.lane] = what.state
    this.#steps.push({ at, states, messages: 'lane' in what ? [] : [what] })
    this.#draw()
  }

  /** Once for all that is added before the next frame. */
  #draw(): void {
    cancelAnimationFrame(this.#frame)
    this.#frame = requestAnimationFrame(() => {
      const used = this.#steps.flatMap(({ messages }) =>
        messages.flatMap(({ from, to }) => [from + 1, to + 1]),
      )
      this.#lanes.show(this.#names.slice(0, Math.max(this.#least, ...used)), this.#steps)
      this.#lanes.mark(this.#steps.length - 1)
    })
  }
}
