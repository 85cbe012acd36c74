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

  /** Wraps a plain value; a `Secret` is handed back as it is. */
  static of(value: string | Secret): Secret {
    // Not `instanceof`: `authgraph/app-jwt` is one bundled file and has a copy of this class.
    return typeof value === 'string' ? new Secret(value) : value
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
