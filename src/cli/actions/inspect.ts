import { once } from 'node:events'
import { openBrowser } from '../../terminal/open-browser.ts'
import { styled, writerTo } from '../../terminal/writer.ts'
import { CommandError } from '../command-error.ts'
import { startRelay } from '../inspect/relay.ts'

/** The options of `authgraph inspect`. */
export interface InspectOptions {
  readonly port: number
  readonly open: boolean
  readonly color: boolean
}

/** Runs `authgraph inspect` until a signal ends it. Returns the exit code. */
export async function inspect({ port, open, color }: InspectOptions): Promise<number> {
  const ended = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  const { url, close } = await startRelay(port).catch(({ code }: NodeJS.ErrnoException) => {
    throw new CommandError(
      'cannot_listen',
      `port ${port} cannot be used (${code}): choose another with --port`,
    )
  })
  writerTo(process.stdout, { color }).print(
    ['Inspect at ', styled('underline', url)],
    `Connect a program: createWebSocketInspector({ url: '${url.replace('http', 'ws')}' })`,
  )
  if (open && process.stdout.isTTY) openBrowser(url)
  await ended
  close()
  return 0
}
