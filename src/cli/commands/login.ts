import { type Command, Option } from 'commander'
import { command, exitWith } from '../command.ts'
import { STORE_NAMES } from '../storage/store-names.ts'
import { login } from './login/login.ts'
import { profileName, readHost, readSecureUrl, scopes } from './values.ts'

/** Declares `authgraph login`. */
export function loginCommand(): Command {
  return command({
    name: 'login',
    summary: 'log in with a code that you enter in any browser',
    description:
      'Show a code, wait until you enter it in a browser, and store the token, encrypted with a key in the system keyring. ' +
      'Ctrl-C saves the unfinished login; --resume continues it with the same code.',
    exitCodes: {
      0: 'logged in',
      1: 'refused or failed',
      3: 'the code expired',
      4: 'denied by the user',
      75: 'saved before it finished (--no-wait)',
      130: 'saved before it finished (Ctrl-C)',
      143: 'saved before it finished (SIGTERM)',
    },
    examples: [
      'authgraph login --client-id YOUR_CLIENT_ID --scopes repo,gist',
      'authgraph login --host git.example.com --profile work',
      'authgraph login --host http://localhost:8080 --store file',
      'authgraph login --device-authorization-endpoint https://example.com/device \\\n--token-endpoint https://example.com/token',
      'TOKEN=$(authgraph login --store none --print)',
      'authgraph login --no-wait --json; authgraph login --resume --json',
    ],
  })
    .optionsGroup('Where to log in:')
    .addOption(
      new Option(
        '--client-id <id>',
        'use the client ID of your OAuth app (default: from the last login to this profile)',
      ).env('AUTHGRAPH_CLIENT_ID'),
    )
    .option(
      '-H, --host <host>',
      'log in to a GitHub Enterprise host or http://localhost:PORT (default: github.com)',
      readHost,
    )
    .addOption(
      new Option('--issuer <url>', 'log in to an OAuth server that publishes its metadata')
        .argParser(readSecureUrl)
        .conflicts('host'),
    )
    .addOption(
      new Option('--device-authorization-endpoint <url>', 'request codes here, if the server has no metadata')
        .argParser(readSecureUrl)
        .conflicts(['host', 'issuer']),
    )
    .addOption(
      new Option('--token-endpoint <url>', 'poll for the token here, on the same server')
        .argParser(readSecureUrl)
        .conflicts(['host', 'issuer']),
    )
    .addOption(
      new Option(
        '--encoding <kind>',
        'encode requests this way (default: form, or json if the server refuses a form)',
      ).choices(['form', 'json']),
    )
    .optionsGroup('Token:')
    .option('-s, --scopes <list>', 'request these scopes; repeat, or separate with commas', scopes)
    .option('-p, --profile <name>', 'save the login as this profile (default: the host)', profileName)
    .addOption(new Option('--store <place>', 'store the token here (default: keyring)').choices(STORE_NAMES))
    .option('--dpop', 'bind the token to a new key (DPoP), and fail if the server ignores it')
    .option('--print', 'print the token to standard output, and everything else to standard error')
    .optionsGroup('Code and browser:')
    .option('--copy', 'copy the code to the clipboard')
    .option('--open', 'open the browser')
    .option('--no-qr', 'do not draw a QR code')
    .optionsGroup('Save and resume:')
    .option('--no-wait', 'show the code, save the login and exit; with --resume, poll once')
    .addOption(
      new Option('--resume', 'continue a saved login').conflicts([
        'host',
        'issuer',
        'deviceAuthorizationEndpoint',
        'tokenEndpoint',
        'encoding',
        'dpop',
        'scopes',
      ]),
    )
    .optionsGroup('Output:')
    .option('--watch', 'follow states, transitions and HTTP messages in the browser')
    .option('--record <file>', 'write the events to this file, for authgraph replay')
    .option('--json', 'print one JSON object per line')
    .action(exitWith(login))
}
