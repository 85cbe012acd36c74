import { once } from 'node:events'
import type { Command } from 'commander'
import { openBrowser } from '../../terminal/open-browser.ts'
import { styled, writerTo } from '../../terminal/writer.ts'
import { command, exitWith } from '../command.ts'
import { CommandError } from '../command-error.ts'
import { startRelay } from '../inspect/relay.ts'
import { wholeNumber } from './values.ts'

/** The options of `authgraph inspect`. */
interface InspectOptions {
  readonly port: number
  readonly open: boolean
  readonly color: boolean
}

/** Declares `authgraph inspect`. */
export function inspectCommand(): Command {
  return command({
    name: 'inspect',
    summary: "show a program's logins in the visualizer of Stately",
    description:
      'Relay the events of XState actors, from programs on this machine to a page with the visualizer of stately.ai. ' +
      'In the program, pass the "inspect" of createWebSocketInspector() from @statelyai/inspect to the login. ' +
      'To watch a login of this command, use authgraph login --watch instead.',
    exitCodes: { 0: 'stopped by SIGTERM or Ctrl-C', 1: 'cannot listen' },
    examples: ['authgraph inspect', 'authgraph inspect --port 9000 --no-open'],
  })
    .option('--port <number>', 'listen on this port; 0 picks a free one', wholeNumber(0, 65_535), 8080)
    .option('--no-open', 'do not open the page in the browser')
    .action(exitWith(inspect))
}

/** Runs `authgraph inspect` until a signal ends it. Returns the exit code. */
async function inspect({ port, open, color }: InspectOptions): Promise<number> {
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
