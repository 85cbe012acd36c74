import { BadOptionError } from './errors.ts'

/** What is shown of a secret. No header can contain these quotation marks: a request with this text is never sent. */
export const HIDDEN = '‹secret›'

/**
 * Holds a secret value and never prints it: strings, JSON, inspectors and errors show `‹secret›`, and a structured
 * clone contains nothing. Call `reveal()` to read the value.
 *
 * @group Types
 */
export class Secret {
  /** A function, because browser consoles print private fields too. */
  readonly #value: () => string

  constructor(value: string) {
    this.#value = () => value
  }

  /**
   * Wraps a plain string. Returns a `Secret` unchanged.
   *
   * @param name What an error calls the value.
   * @throws {@link BadOptionError} if the value is neither a string nor a `Secret`, or is a string that was made from a
   * `Secret`.
   */
  static of(value: string | Secret, name = 'a secret'): Secret {
    if (typeof value === 'string') return new this(assertRevealed(value, name))
    if (isSecret(value)) return value
    throw new BadOptionError(`${name} must be a string or a Secret`)
  }

  /** Returns the value. Call it where the request is written, not earlier. */
  reveal(): string {
    return this.#value()
  }

  /** Returns `‹secret›`. */
  toString(): string {
    return HIDDEN
  }

  /** Returns `‹secret›`, which `JSON.stringify()` writes instead of the value. */
  toJSON(): string {
    return HIDDEN
  }

  /** Shown by `console.log` and `util.inspect` in Node and Bun. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return HIDDEN
  }

  /** Shown by `console.log` in Deno. */
  [Symbol.for('Deno.customInspect')](): string {
    return HIDDEN
  }
}

/** Returns a text. Throws {@link BadOptionError} if a `Secret` was turned into text on the way, as in a template. */
export function assertRevealed(text: string, name: string): string {
  if (!text.includes(HIDDEN)) return text
  throw new BadOptionError(
    `${name} contains a Secret that was turned into text: pass it as is, or call reveal()`,
  )
}

/** Whether a value is a secret. Not by `instanceof`: another copy of this package has another class. */
export function isSecret(value: unknown): value is Secret {
  return typeof (value as Partial<Secret> | null | undefined)?.reveal === 'function'
}
