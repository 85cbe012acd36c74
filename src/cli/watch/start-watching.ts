import type { RecordedEvent } from '../../recording/events.ts'
import { type Recorder, record } from '../../recording/record.ts'
import { openBrowser } from '../../terminal/open-browser.ts'
import type { Report } from '../../terminal/report.ts'
import { startRecording } from './recording-file.ts'
import { servePage } from './serve-page.ts'
import { Stream } from './stream.ts'

/** The options of commands that can be followed. */
export interface WatchOptions {
  /** Serve a page that follows the authorization. */
  readonly watch?: boolean
  /** Write its events to this file. */
  readonly record?: string
}

/** A page, a file, or both, that follow an authorization. */
export interface Watching {
  /** Options to create the authorization with. */
  readonly options: Recorder
  /** Sends a further event to the page and the file. */
  readonly send: (event: RecordedEvent) => void
  /** Sends the last event to the page and stops the server. */
  close(): Promise<void>
}

/**
 * Lets a page, a file or both follow an authorization. Reports the address of the page, and opens it.
 *
 * @param fetch Sends the requests of the authorization.
 */
export async function startWatching(
  fetch: typeof globalThis.fetch,
  report: Report,
  { watch, record: file, open }: WatchOptions & { readonly open: boolean },
): Promise<Watching> {
  const write = file === undefined ? undefined : startRecording(file, report)
  const page = watch ? await startPage(report, open) : undefined
  const send = (event: RecordedEvent) => {
    write?.(event)
    page?.send(event)
  }
  return { options: record(send, { fetch }), send, close: async () => page?.close() }
}

async function startPage(report: Report, open: boolean) {
  const stream = new Stream()
  const { url, close } = await servePage(stream)
  report.say({ event: 'watch', url }, `Watch at ${url}`)
  if (open) openBrowser(url)
  return { send: (event: RecordedEvent) => stream.send(event), close }
}
