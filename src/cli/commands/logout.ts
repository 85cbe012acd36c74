import type { Command } from 'commander'
import type { LogoutOptions } from '../actions/logout.ts'
import { command, exitWith } from '../command.ts'
import { profileName } from './values.ts'

/** Declares `authgraph logout`. */
export function logoutCommand(): Command {
  return command({
    name: 'logout',
    summary: 'erase the token of a login from this machine',
    description:
      'Erases the token and forgets the profile, on this machine alone: the service is not told, and accepts the ' +
      'token until you revoke it there.',
    exitCodes: { 0: 'erased', 1: 'nobody is logged in' },
    examples: ['authgraph logout', 'authgraph logout --profile work'],
  })
    .option('-p, --profile <name>', 'which login; the last one by default', profileName)
    .action(
      exitWith(async (options: LogoutOptions) => (await import('../actions/logout.ts')).logout(options)),
    )
}
