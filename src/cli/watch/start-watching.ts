import type { RecordedEvent } from '../../recording/events.ts'
import { type LoginRecorder, recordLogin } from '../../recording/record.ts'
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
  readonly options: LoginRecorder
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
  const stream = watch ? new Stream() : undefined
  const page = stream && (await servePage(stream))
  if (page) report.say({ event: 'watch', url: page.url }, `Watch at ${page.url}`)
  if (page && open) openBrowser(page.url)
  const send = (event: RecordedEvent) => {
    write?.(event)
    stream?.send(event)
  }
  return { options: recordLogin(send, { fetch }), send, close: async () => page?.close() }
}
