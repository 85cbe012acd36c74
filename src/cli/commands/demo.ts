import { type Command, Option } from 'commander'
import type { DemoOptions } from '../actions/demo.ts'
import { command, exitWith } from '../command.ts'
import { wholeNumber } from './values.ts'

/** Declares `authgraph demo`. */
export function demoCommand(): Command {
  return command({
    name: 'demo',
    summary: 'run a complete device authorization on this machine',
    description:
      'Start an authorization service on a free port of this machine, request a code as a device would, ' +
      'and poll until you approve or deny the request in your browser.',
    exitCodes: { 0: 'authorized', 1: 'not authorized', 130: 'interrupted with Ctrl-C' },
    examples: ['authgraph demo', 'authgraph demo --watch', 'authgraph demo --approve --interval 1'],
  })
    .addOption(
      new Option('--approve', 'approve automatically after the second poll').conflicts(['deny', 'expire']),
    )
    .addOption(new Option('--deny', 'deny automatically after the second poll').conflicts('expire'))
    .option('--expire', 'let the code expire')
    .option('--interval <seconds>', 'poll at this interval', wholeNumber(1, 300, 'seconds'), 5)
    .option('--watch', 'follow states, transitions and HTTP messages in the browser')
    .option('--record <file>', 'write the events to this file, for authgraph replay')
    .option('--json', 'print one JSON object per line')
    .action(exitWith(async (options: DemoOptions) => (await import('../actions/demo.ts')).demo(options)))
}
