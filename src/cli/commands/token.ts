import type { Command } from 'commander'
import { command, exitWith, tryToPrint } from '../command.ts'
import { environmentToken, profileOrCurrent } from '../storage/profiles.ts'
import { withToken } from '../storage/saved-logins.ts'
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
    .option('-p, --profile <name>', 'use this profile (default: the current login)', profileName)
    .action(exitWith(token))
}

async function token(options: { readonly profile?: string }): Promise<number> {
  const given = options.profile === undefined ? environmentToken() : undefined
  if (given) {
    await tryToPrint(`${given.token.reveal()}\n`)
    return 0
  }
  const profile = profileOrCurrent(options.profile)
  await withToken(profile, ({ accessToken }) => tryToPrint(`${accessToken.reveal()}\n`))
  return 0
}
