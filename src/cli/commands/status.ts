import { type Command, Option } from 'commander'
import type { StatusOptions } from '../actions/status.ts'
import { command, exitWith } from '../command.ts'
import { profileName } from './values.ts'

/** Declares `authgraph status`. */
export function statusCommand(): Command {
  return command({
    name: 'status',
    summary: 'show who is logged in, where, with which scopes and until when',
    description:
      'Check each login with its service and show the user, the scopes, the expiry and where the token is stored, but ' +
      'not the token. Also show if a login has ended, or which process is refreshing it and does not finish. A login with --issuer or with explicit endpoints cannot be checked, because its service has no known API.',
    exitCodes: {
      0: 'every login that can be checked works',
      1: 'a login does not work, or nobody is logged in',
    },
    examples: ['authgraph status', 'authgraph status --profile work --json'],
  })
    .option('-p, --profile <name>', 'show only this profile (default: all)', profileName)
    .option('--json', 'print one JSON object per login')
    .addOption(
      new Option('--names', 'print only the profile names, without sending a request').conflicts('json'),
    )
    .action(
      exitWith(async (options: StatusOptions) => (await import('../actions/status.ts')).status(options)),
    )
}
