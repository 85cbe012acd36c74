import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'

/** How the service handles one request: with a JSON body, a complete response, an error, or no response at all. */
export type Scripted = object | Response | Error | 'hang'

interface SentRequest {
  /** Epoch milliseconds of the virtual time. */
  readonly at: number
  readonly url: string
  readonly headers: Headers
  readonly body: string
  readonly redirect: RequestRedirect | undefined
}

/** A `fetch` that plays a script, one line per request, repeats the last line, and records the requests. */
export function scriptedService(time: VirtualTime, ...script: Scripted[]) {
  const sent: SentRequest[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const line = script[Math.min(sent.length, script.length - 1)]
    sent.push({
      at: time.now,
      url: String(input),
      headers: new Headers(init?.headers),
      body: String(init?.body),
      redirect: init?.redirect,
    })
    if (line instanceof Error) throw line
    if (line === 'hang') return hang(init?.signal)
    return line instanceof Response ? line.clone() : Response.json(line)
  }
  return { fetch, sent }
}

/** Virtual time, and the options of a client whose requests play a script. */
export function scripted(...script: Scripted[]) {
  const time = new VirtualTime()
  const { fetch, sent } = scriptedService(time, ...script)
  return { time, sent, fetch, options: { clientId: 'id', clock: time.clock(), fetch } }
}

function hang(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
}
