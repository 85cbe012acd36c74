import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordedEvent } from '../../recording/events.ts'

/** The first event on every connection. */
export interface ClockEvent {
  readonly type: 'clock'
  /** The current time and the start of the command, epoch milliseconds. */
  readonly at: number
  readonly began: number
}

/** An event as the page receives it. */
export type ReceivedEvent = ClockEvent | RecordedEvent

/** Events kept for pages that connect late: more than a code causes in its lifetime. */
const KEPT = 2000

/** Milliseconds after which a page that lost the stream reconnects. */
const RETRY = 1000

/** Milliseconds to wait until connected pages have received the last event. */
const CLOSE_TIMEOUT = 1000

/** An event stream that sends every event since the start to each page, even if it connects late or reconnects. */
export class Stream {
  readonly #began = Date.now()
  readonly #sent: { readonly id: number; readonly text: string }[] = []
  readonly #listeners = new Set<ServerResponse>()
  #events = 0
  #isOver = false

  /** Ignores events after the end. */
  send(event: RecordedEvent): void {
    if (this.#isOver) return
    this.#isOver = event.type === 'end'
    const id = ++this.#events
    const text = `id: ${id}\n${data(event)}`
    this.#sent.push({ id, text })
    if (this.#sent.length > KEPT) this.#sent.shift()
    for (const listener of this.#listeners) listener.write(text)
  }

  /**
   * Responds with the stream.
   *
   * @param after The ID of the last event that the page received.
   */
  open(response: ServerResponse, after: number): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`retry: ${RETRY}\n${data({ type: 'clock', at: Date.now(), began: this.#began })}`)
    for (const { id, text } of this.#sent) if (id > after) response.write(text)
    this.#listeners.add(response)
    response.once('close', () => this.#listeners.delete(response))
  }

  /** Ends every connection once the last event is sent. */
  async end(): Promise<void> {
    this.send({ type: 'end', text: 'Ended without a result.', at: Date.now() })
    const sent = [...this.#listeners].map((listener) => new Promise<void>((resolve) => listener.end(resolve)))
    await Promise.race([Promise.all(sent), sleep(CLOSE_TIMEOUT, undefined, { ref: false })])
  }
}

function data(event: ReceivedEvent): string {
  return `data: ${JSON.stringify(event)}\n\n`
}
