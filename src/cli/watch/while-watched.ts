import type { RecordedEvent } from '../../recording/events.ts'
import type { LoginRecorder } from '../../recording/record.ts'
import type { LoginTerminal } from '../../terminal/login-terminal.ts'
import type { WatchOptions } from './start-watching.ts'

/** Whether a page or a file follows the authorization. */
export function isWatched({ watch, record }: WatchOptions): boolean {
  return Boolean(watch) || record !== undefined
}

/**
 * Runs an authorization while a page, a file or both follow it, if the options say so.
 *
 * @param fetch Sends the requests of the authorization.
 */
export async function whileWatched<Result>(
  fetch: typeof globalThis.fetch,
  { report, stream }: LoginTerminal,
  options: WatchOptions,
  authorize: (recorder?: LoginRecorder, send?: (event: RecordedEvent) => void) => Promise<Result>,
): Promise<Result> {
  if (!isWatched(options)) return authorize()
  const { startWatching } = await import('./start-watching.ts')
  const watching = await startWatching(fetch, report, { ...options, open: stream.isTTY })
  try {
    return await authorize(watching.options, watching.send)
  } finally {
    await watching.close()
  }
}
