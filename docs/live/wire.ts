import type { Clock } from 'authgraph'

/** What may happen to one request on its way. */
export type Fault = 'drop' | 'unavailable' | 'html'

/** A message on the wire, without its secrets. */
export interface Message {
  /** Which exchange it belongs to: a request and its answer have the same number. */
  readonly exchange: number
  readonly kind: 'request' | 'answer' | 'lost'
  /** Method and path, or the status. */
  readonly title: string
  readonly fields: readonly (readonly [name: string, value: string])[]
}

/** Milliseconds that a message is on its way: little enough for a clock 20 % fast to come too early all the same. */
export const LATENCY = 150

const SECRETS = new Set(['client_id', 'device_code', 'access_token', 'refresh_token'])

const HTML = '<!doctype html><title>Sign in to this network</title>'

/** The wire between the two machines: a `fetch` for the device, whose requests the service answers in this page. */
export class Wire {
  /** Happens to the next request, once. */
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
    this.#onMessage({
      exchange,
      kind: 'request',
      title: `${request.method} ${new URL(request.url).pathname}`,
      fields: shown(new URLSearchParams(await request.clone().text())),
    })
    const fault = this.fault
    this.fault = undefined
    await this.#pass(request.signal)
    if (this.isOffline || fault === 'drop') {
      this.#onMessage({
        exchange,
        kind: 'lost',
        title: this.isOffline ? 'no network' : 'connection lost',
        fields: [],
      })
      throw new TypeError('the connection was lost')
    }
    const answer = await this.#answer(request, fault)
    this.#onMessage({ exchange, kind: 'answer', ...(await shownAnswer(answer.clone())) })
    await this.#pass(request.signal)
    return answer
  }

  async #answer(request: Request, fault: Fault | undefined): Promise<Response> {
    if (fault === 'unavailable') return new Response('', { status: 503 })
    if (fault === 'html') return new Response(HTML, { headers: { 'content-type': 'text/html' } })
    return this.#service(request)
  }

  /** Takes the time of one way, unless the request is given up. */
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

async function shownAnswer(answer: Response): Promise<Pick<Message, 'title' | 'fields'>> {
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.includes('json') ?? false
  if (!isJson) return { title: String(answer.status), fields: text === '' ? [] : [['body', text]] }
  const fields = Object.entries(JSON.parse(text)).filter(
    ([name]) => name !== 'error_description' && name !== 'verification_uri_complete',
  )
  return { title: String(answer.status), fields: shown(fields) }
}

function shown(fields: Iterable<readonly [string, unknown]>): [string, string][] {
  return [...fields].map(([name, value]) => [name, SECRETS.has(name) ? '[secret]' : short(String(value))])
}

/** The name of the grant type is longer than all the rest. */
function short(value: string): string {
  return value.replace(/^urn:.*:/, '…:')
}
