import type { Command } from 'commander'
import type { InspectOptions } from '../actions/inspect.ts'
import { command, exitWith } from '../command.ts'
import { wholeNumber } from './values.ts'

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
    .action(
      exitWith(async (options: InspectOptions) => (await import('../actions/inspect.ts')).inspect(options)),
    )
}
