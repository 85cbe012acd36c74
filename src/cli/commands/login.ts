import { type Command, Option } from 'commander'
import type { LoginOptions } from '../actions/login/plan.ts'
import { command, exitWith } from '../command.ts'
import { STORE_NAMES } from '../storage/store-names.ts'
import { profileName, readHost, readIssuer, scopes } from './values.ts'

/** Declares `authgraph login`. */
export function loginCommand(): Command {
  return command({
    name: 'login',
    summary: 'log in by a code that you enter in a browser, on this device or another',
    description:
      'Shows a code, waits until you have entered it in a browser, and keeps the token in the keyring of this system. ' +
      'Ctrl-C saves the login: --resume goes on with the same code.',
    exitCodes: {
      0: 'logged in',
      1: 'refused, or failed',
      3: 'the code expired',
      4: 'denied by the user',
      75: 'saved and not finished, with --no-wait',
      130: 'the same, after Ctrl-C',
      143: 'the same, after a signal to end',
    },
    examples: [
      'authgraph login --client-id YOUR_CLIENT_ID --scope repo,gist',
      'authgraph login --host git.example.com --profile work',
      'authgraph login --host http://localhost:8080 --store file',
      'authgraph login --device-authorization-endpoint https://example.com/device \\\n--token-endpoint https://example.com/token',
      'TOKEN=$(authgraph login --store none --print)',
      'authgraph login --no-wait --json; authgraph login --resume --json',
    ],
  })
    .addOption(
      new Option('--client-id <id>', 'of your OAuth application; that of the last login by default').env(
        'AUTHGRAPH_CLIENT_ID',
      ),
    )
    .option('-s, --scope <scopes>', 'scopes to ask for; repeat it, or separate by commas', scopes)
    .option(
      '-H, --host <host>',
      'github.com by default, an Enterprise host, or http://localhost:PORT',
      readHost,
    )
    .addOption(
      new Option('--issuer <url>', 'any OAuth server that publishes its metadata')
        .argParser(readIssuer)
        .conflicts('host'),
    )
    .addOption(
      new Option('--device-authorization-endpoint <url>', 'where codes are asked for, without metadata')
        .argParser(readIssuer)
        .conflicts(['host', 'issuer']),
    )
    .addOption(
      new Option('--token-endpoint <url>', 'where the same server is polled')
        .argParser(readIssuer)
        .conflicts(['host', 'issuer']),
    )
    .addOption(
      new Option(
        '--encoding <kind>',
        'how requests are sent (default: form, json where a form is refused)',
      ).choices(['form', 'json']),
    )
    .option('-p, --profile <name>', 'name this login; the host by default', profileName)
    .addOption(
      new Option('--store <place>', 'where to keep the token (default: keyring)').choices(STORE_NAMES),
    )
    .option('--print', 'print the token, and all else on the standard error')
    .option('--copy', 'copy the code to the clipboard')
    .option('--open', 'open the browser')
    .option('--no-qr', 'draw no QR code')
    .option('--no-wait', 'show the code, save the login and end; with --resume, ask once')
    .addOption(
      new Option('--resume', 'go on with a saved login').conflicts([
        'host',
        'issuer',
        'deviceAuthorizationEndpoint',
        'tokenEndpoint',
        'encoding',
        'scope',
      ]),
    )
    .option('--watch', 'follow it in the browser: the machine, its moves and the wire')
    .option('--json', 'print one JSON object a line, for programs')
    .action(
      exitWith(async (options: LoginOptions) => (await import('../actions/login/login.ts')).login(options)),
    )
}
