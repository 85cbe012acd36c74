import type { Command } from 'commander'
import { command, exitWith } from '../command.ts'
import { profileName } from '../values.ts'

/** What `authgraph status` was asked for. */
export interface StatusOptions {
  readonly profile?: string
  readonly json?: true
  readonly color: boolean
}

/** Declares `authgraph status`. */
export function statusCommand(): Command {
  return command({
    name: 'status',
    summary: 'show who is logged in, where, for what and until when',
    description:
      'Asks each service whose token it is, and shows where the token is kept. The token is not shown. A service by ' +
      '--issuer cannot be asked, since only its login is known.',
    exitCodes: {
      0: 'every login works, as far as it can be asked',
      1: 'one does not, or nobody is logged in',
    },
    examples: ['authgraph status', 'authgraph status --profile work --json'],
  })
    .option('--profile <name>', 'one login; all of them by default', profileName)
    .option('--json', 'print one JSON object for each login')
    .action(exitWith(async (options: StatusOptions) => (await import('../status.ts')).status(options)))
}
