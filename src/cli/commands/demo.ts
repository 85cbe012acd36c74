import { type Command, Option } from 'commander'
import type { DemoOptions } from '../actions/demo.ts'
import { command, exitWith } from '../command.ts'
import { wholeNumber } from './values.ts'

/** Declares `authgraph demo`. */
export function demoCommand(): Command {
  return command({
    name: 'demo',
    summary: 'run a whole device authorization on this machine, and watch it',
    description:
      'Starts an authorization service on a free port of this machine, asks it for a code as a device would, ' +
      'and polls until you have approved or denied the request in your browser.',
    exitCodes: { 0: 'authorized', 1: 'any other end', 130: 'interrupted with Ctrl-C' },
    examples: ['authgraph demo', 'authgraph demo --watch', 'authgraph demo --approve --interval 1'],
  })
    .addOption(
      new Option('--approve', 'approve by itself after the second poll').conflicts(['deny', 'expire']),
    )
    .addOption(new Option('--deny', 'deny by itself after the second poll').conflicts('expire'))
    .option('--expire', 'let the code run out')
    .option('--interval <seconds>', 'seconds between two polls', wholeNumber(1, 300, 'seconds'), 5)
    .option('--watch', 'follow it in the browser: the machine, its moves and the wire')
    .option('--json', 'print one JSON object a line, for programs')
    .action(exitWith(async (options: DemoOptions) => (await import('../actions/demo.ts')).demo(options)))
}
