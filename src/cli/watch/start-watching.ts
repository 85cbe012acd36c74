import { openBrowser } from '../terminal/open-browser.ts'
import type { Report } from '../terminal/report.ts'
import { type Observed, observe } from './observe.ts'
import { servePage } from './serve-page.ts'
import { Stream } from './stream.ts'

/** A page that follows an authorization. */
export interface Watching {
  /** Goes among the options of the authorization. */
  readonly options: Observed
  /** Tells the page that it is over, and serves it no more. */
  close(): Promise<void>
}

/**
 * Serves a page of this machine that follows an authorization, says where it is, and opens it.
 *
 * @param fetch Sends the requests of the authorization.
 */
export async function startWatching(
  fetch: typeof globalThis.fetch,
  report: Report,
  { open }: { readonly open: boolean },
): Promise<Watching> {
  const stream = new Stream()
  const { url, close } = await servePage(stream)
  report.say({ event: 'watch', url }, `Watch it at ${url}`)
  if (open) openBrowser(url)
  return { options: observe(fetch, (event) => stream.tell(event)), close }
}
