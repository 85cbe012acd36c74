import type { ServerResponse } from 'node:http'
import type { ReceivedEvent, WatchEvent } from './events.ts'

/** Events that are kept for those who come late: more than a code lives to see. */
const KEPT = 2000

/** Milliseconds after which a page that lost the stream asks for it again. */
const RETRY = 1000

/** Milliseconds in which the last words must be taken. */
const LAST_WORDS = 1000

/** Tells everyone who listens what happened, from the beginning on: also those who come late, or come back. */
export class Stream {
  readonly #began = Date.now()
  readonly #told: { readonly id: number; readonly text: string }[] = []
  readonly #listeners = new Set<ServerResponse>()
  #events = 0
  #isOver = false

  /** Nothing is told after the end. */
  tell(event: WatchEvent): void {
    if (this.#isOver) return
    this.#isOver = event.type === 'end'
    const id = ++this.#events
    const text = `id: ${id}\n${data({ ...event, at: Date.now() })}`
    this.#told.push({ id, text })
    if (this.#told.length > KEPT) this.#told.shift()
    for (const listener of this.#listeners) listener.write(text)
  }

  /**
   * Answers with the stream.
   *
   * @param after The last event that was heard.
   */
  open(response: ServerResponse, after: number): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`retry: ${RETRY}\n${data({ type: 'clock', at: Date.now(), began: this.#began })}`)
    for (const { id, text } of this.#told) if (id > after) response.write(text)
    this.#listeners.add(response)
    response.once('close', () => this.#listeners.delete(response))
  }

  /** Ends every connection, once its last words are sent. */
  async end(): Promise<void> {
    this.tell({ type: 'end', text: 'Nothing came of it.' })
    const sent = [...this.#listeners].map((listener) => new Promise<void>((resolve) => listener.end(resolve)))
    const timeout = AbortSignal.timeout(LAST_WORDS)
    await Promise.race([
      Promise.all(sent),
      new Promise((resolve) => timeout.addEventListener('abort', resolve)),
    ])
  }
}

function data(event: ReceivedEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`
}
