import { find } from './elements.ts'
import { type LaneMessage, type LaneStep, Lanes } from './lanes.ts'

/** Milliseconds within which what happens in several lanes is shown at once. */
const AT_ONCE = 250

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
    const none = this.#names.map(() => undefined)
    const [before, last] = [this.#steps.at(-2), this.#steps.at(-1)]
    const states: (string | undefined)[] = [...(last?.states ?? none)]
    if ('lane' in what) {
      if (states[what.lane] === what.state) return
      states[what.lane] = what.state
    }
    const messages = 'lane' in what ? [] : [what]
    const isNote = !('lane' in what) && what.kind === 'note'
    const isFree = !('lane' in what) || last?.states[what.lane] === (before?.states ?? none)[what.lane]
    // A note tells what ends a wait.
    if (last && last.messages.length === 0 && isFree && (isNote || at - last.at < AT_ONCE))
      this.#steps.splice(-1, 1, { at: last.at, states, messages })
    else this.#steps.push({ at, states, messages })
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
