import type { Command } from 'commander'
import type { SwitchOptions } from '../actions/switch.ts'
import { command, exitWith } from '../command.ts'
import { profileName } from './values.ts'

/** Declares `authgraph switch`. */
export function switchCommand(): Command {
  return command({
    name: 'switch',
    summary: 'choose the login that the other commands use',
    description:
      'Use another login until the next login. Without --profile, use the other one of two. With --here, write the choice ' +
      'to .authgraph.json: in this folder and below, commands use that login, and refuse it if its host changes.',
    exitCodes: { 0: 'switched', 1: 'there is no such login' },
    examples: [
      'authgraph switch',
      'authgraph switch --profile work',
      'authgraph switch --profile work --here',
    ],
  })
    .option('-p, --profile <name>', 'use this profile (default: the other one of two)', profileName)
    .option('--here', 'use it only in this folder and below')
    .action(
      exitWith(async (options: SwitchOptions) =>
        (await import('../actions/switch.ts')).switchProfile(options),
      ),
    )
}
