/** A timer that is set. */
export interface Timer {
  readonly due: number
  /** Timers that are due at the same time fire in the order in which they were set. */
  readonly order: number
  /** `undefined` once it has fired, or was cleared. */
  callback: (() => void) | undefined
}

/** Timers in the order in which they fire: a binary heap. A cleared timer stays in it until its turn. */
export class TimerQueue {
  readonly #heap: Timer[] = []
  #order = 0
  #size = 0

  /** Timers that are set. */
  get size(): number {
    return this.#size
  }

  /** The timer that fires next. */
  get next(): Timer | undefined {
    while (this.#heap[0] !== undefined && this.#heap[0].callback === undefined) this.#removeFirst()
    return this.#heap[0]
  }

  add(due: number, callback: () => void): Timer {
    const timer: Timer = { due, order: this.#order, callback }
    this.#order += 1
    this.#size += 1
    let index = this.#heap.push(timer) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!isBefore(timer, this.#at(parent))) break
      this.#heap[index] = this.#at(parent)
      index = parent
    }
    this.#heap[index] = timer
    return timer
  }

  clear(timer: Timer): void {
    if (timer.callback === undefined) return
    timer.callback = undefined
    this.#size -= 1
  }

  /** The timer at an index that is in the heap. */
  #at(index: number): Timer {
    return this.#heap[index] as Timer
  }

  #removeFirst(): void {
    const moved = this.#heap.pop() as Timer
    const { length } = this.#heap
    if (length === 0) return
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (child >= length) break
      if (child + 1 < length && isBefore(this.#at(child + 1), this.#at(child))) child += 1
      if (!isBefore(this.#at(child), moved)) break
      this.#heap[index] = this.#at(child)
      index = child
    }
    this.#heap[index] = moved
  }
}

function isBefore(left: Timer, right: Timer): boolean {
  return left.due < right.due || (left.due === right.due && left.order < right.order)
}
