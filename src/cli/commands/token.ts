import type { Command } from 'commander'
import { command, exitWith } from '../command.ts'
import { profileName } from './values.ts'

/** Declares `authgraph token`. */
export function tokenCommand(): Command {
  return command({
    name: 'token',
    summary: 'print the token of a login, for scripts',
    description:
      'Print the access token in plain text. An expired token is refreshed first if the service allows it.',
    exitCodes: { 0: 'printed', 1: 'nobody is logged in, or the login has expired' },
    examples: [
      'authgraph token',
      'curl --oauth2-bearer "$(authgraph token --profile work)" \\\nhttps://api.example.com',
    ],
  })
    .option('-p, --profile <name>', 'use this profile (default: the last login)', profileName)
    .action(
      exitWith(async (options: { profile?: string }) => (await import('../actions/token.ts')).token(options)),
    )
}
