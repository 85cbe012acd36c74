import type { Clock } from 'authgraph'
import { type Message, shownRequest, shownResponse } from '../../src/recording/messages.ts'
import { travelling } from './pace.ts'

/** A fault of one exchange: its request or its response is lost, or another response arrives. */
export type Fault = 'drop' | 'lose' | 'unavailable' | 'html'

/** Milliseconds that a message travels: short enough that a clock 20% fast still polls too early. */
export const LATENCY = 150

const HTML = '<!doctype html><title>Sign in to this network</title>'

/** The wire between the two machines: a `fetch` for the device that calls the service in this page. */
export class Wire {
  /** Affects only the next request. */
  fault: Fault | undefined
  isOffline = false
  readonly #service: typeof globalThis.fetch
  readonly #clock: Clock
  readonly #onMessage: (message: Message) => void
  #exchanges = 0

  constructor(service: typeof globalThis.fetch, clock: Clock, onMessage: (message: Message) => void) {
    this.#service = service
    this.#clock = clock
    this.#onMessage = onMessage
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const exchange = ++this.#exchanges
    const secrets = new Set<string>()
    this.#onMessage({ exchange, kind: 'request', ...(await shownRequest(request, secrets)) })
    const fault = this.fault
    this.fault = undefined
    await travelling(this.#pass(request.signal))
    if (this.isOffline) return this.#lose(exchange, 'no network')
    if (fault === 'drop') return this.#lose(exchange, 'request lost')
    const response = await this.#response(request, fault)
    if (fault === 'lose') return this.#lose(exchange, 'response lost')
    const shown = await shownResponse(response, secrets)
    this.#onMessage({
      exchange,
      kind: 'response',
      ...(fault === 'html' ? { ...shown, fields: [['body', HTML]] } : shown),
    })
    await travelling(this.#pass(request.signal))
    return response
  }

  #lose(exchange: number, title: string): never {
    this.#onMessage({ exchange, kind: 'lost', title, fields: [] })
    throw new TypeError('the connection was lost')
  }

  async #response(request: Request, fault: Fault | undefined): Promise<Response> {
    if (fault === 'unavailable') return new Response('', { status: 503 })
    if (fault === 'html') return new Response(HTML, { headers: { 'content-type': 'text/html' } })
    return this.#service(request)
  }

  /** Waits for one direction of travel, unless the request is aborted. */
  #pass(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = this.#clock.setTimeout(resolve, LATENCY)
      signal.addEventListener('abort', () => {
        this.#clock.clearTimeout(timer)
        reject(signal.reason)
      })
    })
  }
}
