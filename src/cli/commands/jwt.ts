import type { Command } from 'commander'
import type { JwtOptions } from '../actions/jwt.ts'
import { command, exitWith } from '../command.ts'

/** Declares `authgraph jwt`. */
export function jwtCommand(): Command {
  return command({
    name: 'jwt',
    summary: 'sign an app JWT, or decode one',
    description:
      'Print a signed app JWT, valid for 9 minutes. With --decode, print its claims and the seconds left instead. ' +
      'Without --key, --decode reads a JWT from standard input.',
    exitCodes: {
      0: 'printed',
      1: 'the key cannot be used',
      3: 'the decoded JWT has expired, or is not valid yet',
    },
    examples: [
      'authgraph jwt --app-id 12345 --key app.pem',
      'authgraph jwt --app-id 12345 --key env:APP_KEY --decode',
      'pass show app.pem | authgraph jwt --app-id 12345 --key -',
      'authgraph jwt --decode --json < token.txt',
    ],
  })
    .option('--app-id <id>', 'sign for this app id or client id')
    .option('--key <place>', 'read the private key from a file, - for standard input, or env:NAME')
    .option('--decode', 'print the claims and the seconds left')
    .option('--json', 'print the output of --decode as JSON')
    .action(exitWith(async (options: JwtOptions) => (await import('../actions/jwt.ts')).jwt(options)))
}
