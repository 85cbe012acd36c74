import type { Command } from 'commander'
import type { ReplayOptions } from '../actions/replay.ts'
import { command, exitWith } from '../command.ts'

/** Declares `authgraph replay`. */
export function replayCommand(): Command {
  return command({
    name: 'replay',
    summary: 'show or draw a recorded login',
    description:
      'Show a login that login --record or demo --record wrote: its states, its messages and their times. ' +
      'With --svg or --machine, draw a picture that plays it, for a README or a bug report; with --filmstrip or --sequence, ' +
      'one that does not move. A recording contains no secret.',
    exitCodes: { 0: 'shown', 1: 'not a recording' },
    examples: [
      'authgraph demo --approve --record login.ndjson',
      'authgraph replay login.ndjson',
      'authgraph replay login.ndjson --svg login.svg --machine machine.svg',
      'authgraph replay login.ndjson --filmstrip film.svg --sequence sequence.svg',
    ],
  })
    .argument('<file>', 'the recording')
    .option('--svg <file>', 'draw the states and messages on a time axis')
    .option('--machine <file>', 'draw the machine, with the states that were active')
    .option('--filmstrip <file>', 'draw each state that a user saw, side by side')
    .option('--sequence <file>', 'draw the messages between user, device and service')
    .option('--json', 'print the login as one JSON object')
    .action(
      exitWith(async (file: string, options: ReplayOptions) =>
        (await import('../actions/replay.ts')).replay(file, options),
      ),
    )
}
