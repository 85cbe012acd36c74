import { appendFileSync } from 'node:fs'
import type { RecordedEvent } from '../../recording/events.ts'
import { recordLogin } from '../../recording/record.ts'
import { openBrowser } from '../../terminal/open-browser.ts'
import type { Report } from '../../terminal/report.ts'
import { fileProblem, onDisk } from '../files.ts'
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
 * @param fetch Sends the requests of the authorization.
 */
export async function startWatching(
  fetch: typeof globalThis.fetch,
  report: Report,
  { watch, record: file, open }: WatchOptions & { readonly open: boolean },
) {
  const write = file === undefined ? undefined : startRecording(file, report)
  const stream = watch ? new Stream() : undefined
  const page = stream && (await servePage(stream))
  if (page) report.say({ event: 'watch', url: page.url }, `Watch at ${page.url}`)
  if (page && open) openBrowser(page.url)
  const send = (event: RecordedEvent) => {
    write?.(event)
    stream?.send(event)
  }
  return {
    /** Options to create the authorization with. */
    options: recordLogin(send, { fetch }),
    /** Sends a further event to the page and the file. */
    send,
    /** Sends the last event to the page and stops the server. */
    close: async () => page?.close(),
  }
}

/**
 * Returns a function that writes events to a file. The first one replaces what was in it. If the disk becomes full, the recording ends, and
 * the login continues.
 *
 * @throws CommandError with code `unusable_file` if the file cannot be written now.
 */
function startRecording(file: string, report: Report): (event: RecordedEvent) => void {
  const create = () => appendFileSync(file, '', { mode: 0o600 })
  onDisk(`cannot write ${file}`, create, 'name another file with --record')
  let flag = 'w'
  let problem: string | undefined
  return (event) => {
    if (problem) return
    try {
      appendFileSync(file, `${JSON.stringify(event)}\n`, { flag })
      flag = 'a'
    } catch (error) {
      problem = fileProblem(error)
      report.say(
        { event: 'recording_ended', file, problem },
        `Recording ended: cannot write ${file} (${problem})`,
      )
    }
  }
}
