import type { Command } from 'commander'
import type { JwtOptions } from '../actions/jwt.ts'
import { command, exitWith } from '../command.ts'

/** Declares `authgraph jwt`. */
export function jwtCommand(): Command {
  return command({
    name: 'jwt',
    summary: 'sign the token of an application, or look into one',
    description:
      'Prints a token that an application proves itself with, good for 9 minutes. With --decode it shows the claims ' +
      'and the seconds left instead: of that token or, without --key, of one on the standard input.',
    exitCodes: {
      0: 'printed',
      1: 'the key cannot be used',
      3: 'the decoded token has ended, or begins later',
    },
    examples: [
      'authgraph jwt --app-id 12345 --key app.pem',
      'authgraph jwt --app-id 12345 --key env:APP_KEY --decode',
      'pass show app.pem | authgraph jwt --app-id 12345 --key -',
      'authgraph jwt --decode --json < token.txt',
    ],
  })
    .option('--app-id <id>', 'the id of the application, or its client id')
    .option('--key <place>', 'its private key: a file, - for standard input, or env:NAME')
    .option('--decode', 'show the claims and the seconds left')
    .option('--json', 'print what --decode shows as JSON')
    .action(exitWith(async (options: JwtOptions) => (await import('../actions/jwt.ts')).jwt(options)))
}
