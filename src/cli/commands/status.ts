import { type Command, Option } from 'commander'
import type { StatusOptions } from '../actions/status.ts'
import { command, exitWith } from '../command.ts'
import { profileName } from './values.ts'

/** Declares `authgraph status`. */
export function statusCommand(): Command {
  return command({
    name: 'status',
    summary: 'show who is logged in, where, for what and until when',
    description:
      'Asks each service whose token it is, and shows where the token is kept. The token is not shown. A service by ' +
      '--issuer or by its endpoints cannot be asked, since only its login is known.',
    exitCodes: {
      0: 'every login works, as far as it can be asked',
      1: 'one does not, or nobody is logged in',
    },
    examples: ['authgraph status', 'authgraph status --profile work --json'],
  })
    .option('-p, --profile <name>', 'one login; all of them by default', profileName)
    .option('--json', 'print one JSON object for each login')
    .addOption(
      new Option('--names', 'print only the names of the profiles; no service is asked').conflicts('json'),
    )
    .action(
      exitWith(async (options: StatusOptions) => (await import('../actions/status.ts')).status(options)),
    )
}
