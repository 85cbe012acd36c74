import { type Command, InvalidArgumentError, Option } from 'commander'
import { isBaseAddress } from '../../protocol/address.ts'
import type { NamedClient, ServeOptions } from '../actions/serve-files.ts'
import { command, exitWith } from '../command.ts'
import { wholeNumber } from './values.ts'

/** Declares `authgraph serve`. */
export function serveCommand(): Command {
  return command({
    name: 'serve',
    summary: 'run an authorization service for development',
    description:
      'Serve the device flow: codes, the page where a user approves or denies, tokens, and an API that accepts ' +
      'them. For development only: anyone who opens the page is the user "developer", and tokens are random. ' +
      'For production, use createService() from authgraph/service with your own sign-in.',
    exitCodes: { 0: 'stopped by SIGTERM or Ctrl-C, after the last response', 1: 'cannot listen' },
    examples: [
      'authgraph serve --demo-client',
      'authgraph serve --client my-id="My device" --interval 1',
      'authgraph serve --demo-client --refresh-tokens 3600 --reuse-window 0',
      'authgraph serve --demo-client --store sqlite:authgraph.db',
      'authgraph serve --clients clients.json --store redis://127.0.0.1:6379 --json',
    ],
  })
    .option('--port <number>', 'listen on this port; 0 picks a free one', wholeNumber(0, 65_535), 8628)
    .option('--host <address>', 'listen on this address', '127.0.0.1')
    .addOption(
      new Option(
        '--store <where>',
        'store grants and tokens in memory, sqlite:FILE, postgres://… or redis://…',
      )
        .env('AUTHGRAPH_STORE')
        .default('memory'),
    )
    .option('--client <id=name>', 'register a client; repeatable', addClient)
    .option('--clients <file>', 'register clients from JSON: [{ "clientId": "…", "name": "…" }]')
    .option('--demo-client', 'register the client "authgraph-demo"')
    .addOption(
      new Option('--dialect <dialect>', 'speak this dialect')
        .choices(['github', 'rfc8628'])
        .default('github'),
    )
    .option('--expires-in <seconds>', 'expire codes after this time', wholeNumber(1, 86_400, 'seconds'), 900)
    .option('--interval <seconds>', 'ask devices to poll at this interval', wholeNumber(1, 300, 'seconds'), 5)
    .option(
      '--refresh-tokens <seconds>',
      'issue refresh tokens; log users out after this time',
      wholeNumber(1, 31_536_000, 'seconds'),
    )
    .option(
      '--reuse-window <seconds>',
      'repeat the response to a used refresh token for this time',
      wholeNumber(0, 3600, 'seconds'),
      30,
    )
    .option('--tls-key <file>', 'serve https with this private key (PEM)')
    .option('--tls-cert <file>', 'serve https with this certificate chain (PEM)')
    .option('--auth-url <address>', 'set the public address of the login', readAddress)
    .option('--base-url <address>', 'set the public address of the API, if it differs', readAddress)
    .option('--allow-http', 'allow http for these addresses off loopback, on a test network')
    .option('--trust-proxy <address>', 'trust X-Forwarded-For from this proxy or network; repeatable', add)
    .option('--json', 'log one JSON object per line (default unless stdout is a terminal)')
    .action(
      exitWith(async (options: ServeOptions, self: Command) =>
        (await import('../actions/serve.ts')).serve(options, self),
      ),
    )
}

function readAddress(address: string): string {
  if (isBaseAddress(address)) return address
  throw new InvalidArgumentError('Expected an address that starts with https:// or http://, without a query.')
}

function addClient(text: string, clients: readonly NamedClient[] = []): NamedClient[] {
  const [, clientId, name] = /^([^=]+)=(.+)$/.exec(text) ?? []
  if (clientId === undefined || name === undefined)
    throw new InvalidArgumentError('Expected an id and a name, such as my-id="My device".')
  return [...clients, { clientId, name }]
}

function add(text: string, texts: readonly string[] = []): string[] {
  return [...texts, text]
}
