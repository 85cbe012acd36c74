import type { RecordedEvent } from '../../recording/events.ts'
import { record } from '../../recording/record.ts'
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

/**
 * Lets a page, a file or both follow an authorization. Reports the address of the page, and opens it.
 *
 * @returns Options to create the authorization with, `send` for further events, and `close`, which sends the last event
 * to the page.
 */
export async function startWatching(
  fetch: typeof globalThis.fetch,
  report: Report,
  { watch, record: file, open }: WatchOptions & { readonly open: boolean },
) {
  const write = file === undefined ? undefined : startRecording(file, report)
  const stream = new Stream()
  const page = watch ? await servePage(stream) : undefined
  if (page) report.say({ event: 'watch', url: page.url }, `Watch at ${page.url}`)
  if (page && open) openBrowser(page.url)
  const send = (event: RecordedEvent) => {
    write?.(event)
    stream.send(event)
  }
  return { options: record(send, { fetch }), send, close: async () => page?.close() }
}
