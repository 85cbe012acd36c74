import { type Command, Option } from 'commander'
import type { LogoutOptions } from '../actions/logout.ts'
import { command, exitWith } from '../command.ts'
import { profileName } from './values.ts'

/** Declares `authgraph logout`. */
export function logoutCommand(): Command {
  return command({
    name: 'logout',
    summary: 'delete the token of a login from this machine',
    description:
      'Delete the token and the profile from this machine, and revoke the token if the service has an endpoint for that. ' +
      'Otherwise the service accepts the token until you revoke it there.',
    exitCodes: { 0: 'logged out', 1: 'nobody is logged in' },
    examples: ['authgraph logout', 'authgraph logout --profile work', 'authgraph logout --all'],
  })
    .option('-p, --profile <name>', 'log out of this profile (default: the last login)', profileName)
    .addOption(new Option('--all', 'log out of all profiles').conflicts('profile'))
    .action(
      exitWith(async (options: LogoutOptions) => (await import('../actions/logout.ts')).logout(options)),
    )
}
