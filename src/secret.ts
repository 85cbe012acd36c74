import { BadOptionError } from './errors.ts'

/**
 * Holds a value that never prints itself: as a string, as JSON, in an inspector or in an error it shows `[secret]`;
 * a structured clone holds nothing.
 *
 * @group Secrets
 * @see Spec 2.1
 */
export class Secret {
  /** A function, since the consoles of browsers print private fields too. */
  readonly #value: () => string

  constructor(value: string) {
    this.#value = () => value
  }

  /**
   * Wraps a plain value. Returns a `Secret` as it is.
   *
   * @param name What an error calls the value.
   * @throws {@link BadOptionError} for anything else.
   */
  static of(value: string | Secret, name = 'a secret'): Secret {
    if (typeof value === 'string') return new this(value)
    // Not `instanceof`: another copy of this package has a class of its own.
    if (typeof (value as Partial<Secret> | null)?.reveal === 'function') return value
    throw new BadOptionError(`${name} must be a string or a Secret`)
  }

  /** Gives the value itself. Call it in the line that writes the wire, and nowhere earlier. */
  reveal(): string {
    return this.#value()
  }

  /** What a text shows in place of the value. */
  toString(): string {
    return '[secret]'
  }

  /** What JSON shows in place of the value. */
  toJSON(): string {
    return '[secret]'
  }

  /** What `console.log` and `util.inspect` of Node and Bun show. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]'
  }

  /** What `console.log` of Deno shows. */
  [Symbol.for('Deno.customInspect')](): string {
    return '[secret]'
  }
}
