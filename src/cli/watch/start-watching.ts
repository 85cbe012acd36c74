import { openBrowser } from '../../terminal/open-browser.ts'
import type { Report } from '../../terminal/report.ts'
import { type Observed, observe } from './observe.ts'
import { servePage } from './serve-page.ts'
import { Stream } from './stream.ts'

/** A page that follows an authorization. */
export interface Watching {
  /** Options to create the authorization with. */
  readonly options: Observed
  /** Sends the last event to the page and stops the server. */
  close(): Promise<void>
}

/**
 * Serves a page that follows an authorization, reports its address, and opens it.
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
  report.say({ event: 'watch', url }, `Watch at ${url}`)
  if (open) openBrowser(url)
  return { options: observe(fetch, (event) => stream.send(event)), close }
}
