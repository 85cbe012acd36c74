import { type Command, InvalidArgumentError, Option } from 'commander'
import { isBaseAddress } from '../../protocol/address.ts'
import type { NamedClient, ServeOptions } from '../actions/serve-files.ts'
import { command, exitWith } from '../command.ts'
import { wholeNumber } from './values.ts'

/** Declares `authgraph serve`. */
export function serveCommand(): Command {
  return command({
    name: 'serve',
    summary: 'run an authorization service',
    description:
      'Serves the device flow: codes, the page at which a user approves or denies, tokens, and an API that knows ' +
      'them. For development: whoever opens the page is the user "developer", and tokens are random. ' +
      'A service for people is made with createService() of authgraph/service, which takes a sign-in of yours.',
    exitCodes: { 0: 'stopped by SIGTERM or Ctrl-C, with every request answered', 1: 'cannot listen' },
    examples: [
      'authgraph serve --demo-client',
      'authgraph serve --client my-id="My device" --interval 1',
      'authgraph serve --clients clients.json --store redis://127.0.0.1:6379 --json',
    ],
  })
    .option('--port <number>', 'the port; 0 for a free one', wholeNumber(0, 65_535), 8628)
    .option('--host <address>', 'the address to listen at', '127.0.0.1')
    .addOption(
      new Option('--store <where>', 'where grants and tokens are kept: memory, or redis://HOST:PORT')
        .env('AUTHGRAPH_STORE')
        .default('memory'),
    )
    .option('--client <id=name>', 'a client that may ask for codes; may be repeated', addClient)
    .option('--clients <file>', 'clients as JSON: [{ "clientId": "…", "name": "…" }]')
    .option('--demo-client', 'know the client "authgraph-demo"')
    .addOption(
      new Option('--dialect <dialect>', 'the dialect to speak')
        .choices(['github', 'rfc8628'])
        .default('github'),
    )
    .option('--expires-in <seconds>', 'seconds that codes live', wholeNumber(1, 86_400, 'seconds'), 900)
    .option('--interval <seconds>', 'seconds between two polls', wholeNumber(1, 300, 'seconds'), 5)
    .option('--tls-key <file>', 'the private key (PEM) with which to serve https')
    .option('--tls-cert <file>', 'its certificate, and those between it and the root (PEM)')
    .option('--auth-url <address>', 'the address of the login, as clients and people see it', readAddress)
    .option('--base-url <address>', 'the address of the API, where it is another one', readAddress)
    .option('--allow-http', 'allow these addresses to be http off loopback, for a test network')
    .option(
      '--trust-proxy <address>',
      'a proxy, or a network of them, whose X-Forwarded-For is believed; may be repeated',
      add,
    )
    .option('--json', 'log one JSON object a line, as is done where the output is no terminal')
    .action(
      exitWith(async (options: ServeOptions, self: Command) =>
        (await import('../actions/serve.ts')).serve(options, self),
      ),
    )
}

function readAddress(address: string): string {
  if (isBaseAddress(address)) return address
  throw new InvalidArgumentError('It is an address that begins with https:// or http://, without a query.')
}

function addClient(text: string, clients: readonly NamedClient[] = []): NamedClient[] {
  const [, clientId, name] = /^([^=]+)=(.+)$/.exec(text) ?? []
  if (clientId === undefined || name === undefined)
    throw new InvalidArgumentError('It is an id and a name, such as my-id="My device".')
  return [...clients, { clientId, name }]
}

function add(text: string, texts: readonly string[] = []): string[] {
  return [...texts, text]
}
