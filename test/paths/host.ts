import type { IssuedStep, Issuing } from './walks/issuing.ts'

/** The host of a service, whose `issueToken` does what the steps of a path say. */
export class Host<Request> {
  /** What the next token does. */
  issuing: Issuing | undefined
  /** The requests whose tokens are being made, oldest first. */
  readonly making: {
    readonly of: Request
    readonly made: (token: string) => void
    failed(error: Error): void
  }[] = []
  readonly #current: () => Request
  #tokens = 0
  #begun = () => {}

  /** @param current The request that asks for a token now. */
  constructor(current: () => Request) {
    this.#current = current
  }

  issueToken = (): string | Promise<string> => {
    if (this.issuing === 'fails') throw new Error('the host has no token')
    if (this.issuing !== 'takesLong') return this.#newToken()
    this.issuing = undefined
    const of = this.#current()
    return new Promise((made, failed) => {
      this.making.push({ of, made, failed })
      this.#begun()
    })
  }

  /** Resolves when a slow token is asked for. */
  begun(): Promise<void> {
    return new Promise((resolve) => {
      this.#begun = resolve
    })
  }

  /** Ends a slow token. Returns the request that asked for it. */
  end({ type, of }: IssuedStep): Request {
    const making = of === 'first' ? this.making.shift() : this.making.pop()
    if (making === undefined) throw new Error('no token is being made')
    if (type === 'issued') making.made(this.#newToken())
    else making.failed(new Error('the host has no token'))
    return making.of
  }

  #newToken(): string {
    this.#tokens += 1
    return `token-${this.#tokens}`
  }
}
