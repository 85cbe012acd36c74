export type Name = string | number

/**
 * Choices by name: each depends on the seed and on its own name alone, so that a choice that is added or left out does
 * not move the others.
 */
export class Choices {
  readonly #seed: number

  constructor(seed: number) {
    this.#seed = seed
  }

  /** A number from 0 up to 1. */
  number(...names: Name[]): number {
    return this.bits(...names) / 2 ** 32
  }

  /** 32 bits. */
  bits(...names: Name[]): number {
    let hash = mix(0x9e3779b9, this.#seed)
    for (const name of names) hash = typeof name === 'number' ? mix(hash, name) : fold(hash, name)
    hash ^= hash >>> 16
    hash = Math.imul(hash, 0x85ebca6b)
    hash ^= hash >>> 13
    hash = Math.imul(hash, 0xc2b2ae35)
    return (hash ^ (hash >>> 16)) >>> 0
  }

  between(from: number, to: number, ...names: Name[]): number {
    return from + (to - from) * this.number(...names)
  }

  /** Whether something happens that has this chance, from 0 to 1. */
  happens(chance: number, ...names: Name[]): boolean {
    return chance > 0 && this.number(...names) < chance
  }

  /** One of the events that have these chances; `undefined` for none of them. */
  oneOf<Event extends string>(chances: Partial<Record<Event, number>>, ...names: Name[]): Event | undefined {
    let left: number | undefined
    for (const event in chances) {
      left = (left ?? this.number(...names)) - (chances[event] ?? 0)
      if (left < 0) return event
    }
    return undefined
  }
}

/** Folds a text into a hash: the names of choices, and what the digest of a run is made of. */
export function fold(hash: number, text: string): number {
  let folded = hash
  for (let index = 0; index < text.length; index += 1)
    folded = Math.imul(folded ^ text.charCodeAt(index), 0x01000193)
  return mix(folded, text.length)
}

/** Folds a whole number into a hash. */
export function mix(hash: number, value: number): number {
  const low = Math.imul(hash ^ (value | 0), 0x9e3779b1)
  const high = Math.imul((low ^ (low >>> 15)) + Math.floor(value / 2 ** 32), 0x85ebca77)
  return high ^ (high >>> 13)
}
