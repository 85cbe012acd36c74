import { type Command, Option } from 'commander'
import { command, type Described, exitWith } from '../command.ts'
import { CommandError } from '../command-error.ts'
import { bridgeServer } from './mcp/bridge-server.ts'
import type { McpOptions } from './mcp/open-mcp-login.ts'
import { mcpLogin, mcpLogout, mcpStatus } from './mcp/operations.ts'
import { readHost, readSecureUrl, readServerUrl } from './values.ts'

const RESULTS = { 1: 'refused or failed, or nobody is logged in' }

/** Declares `authgraph mcp` and its operations. */
export function mcpCommand(): Command {
  return declare(bridgeServer, {
    name: 'mcp',
    summary: 'use a remote MCP server from hosts that cannot log in to it',
    description:
      'Connect an MCP host, such as an agent or an editor, to a remote MCP server: the host starts this command, which ' +
      'reads the messages of the host from standard input, sends them to the server with a token, and writes those of ' +
      'the server to standard output. Log in beforehand. Otherwise the code is shown as an elicitation, in an error, ' +
      'and on standard error.',
    exitCodes: { 0: 'the host closed standard input', ...RESULTS },
    examples: [
      'authgraph mcp login https://mcp.example.com/mcp',
      'authgraph mcp https://mcp.example.com/mcp',
      'authgraph mcp --store file https://mcp.example.com/mcp',
    ],
  })
    .addCommand(
      declare(mcpLogin, {
        name: 'mcp login',
        summary: 'log in to the server',
        description:
          'Show a code, wait until you enter it in a browser, and store the token for all processes that use the same ' +
          'store. Ctrl-C keeps the code: the next process continues with it.',
        exitCodes: {
          0: 'logged in',
          1: 'refused or failed',
          3: 'the code expired',
          4: 'denied by the user',
          130: 'stopped before it finished (Ctrl-C)',
        },
        examples: [
          'authgraph mcp login https://mcp.example.com/mcp',
          'authgraph mcp login --issuer https://github.com/login/oauth \\\n--client-id YOUR_CLIENT_ID https://api.githubcopilot.com/mcp/',
        ],
      }),
    )
    .addCommand(
      declare(mcpStatus, {
        name: 'mcp status',
        summary: 'show whether you are logged in',
        description: 'Show what is stored: the issuer, the scopes, and any pending code. Sends nothing.',
        exitCodes: { 0: 'logged in', 1: 'not logged in' },
        examples: ['authgraph mcp status https://mcp.example.com/mcp'],
      }),
    )
    .addCommand(
      declare(mcpLogout, {
        name: 'mcp logout',
        summary: 'delete and revoke the token',
        description:
          'Delete the token from this machine, discard any pending code, and revoke the token if the issuer has an ' +
          'endpoint for that.',
        exitCodes: { 0: 'logged out', ...RESULTS },
        examples: ['authgraph mcp logout https://mcp.example.com/mcp'],
      }),
    )
}

/** Declares the command or an operation, which share their options. The command also parses those behind an operation. */
function declare(run: (url: string, options: McpOptions) => Promise<number>, described: Described): Command {
  return command(described)
    .argument('<url>', 'the URL of the server', readServerUrl)
    .addOption(
      new Option('--store <place>', 'store the login here').choices(['keyring', 'file']).default('keyring'),
    )
    .option('--proxy <url>', 'use this HTTP proxy (default: from HTTPS_PROXY or ALL_PROXY)')
    .option(
      '--issuer <url>',
      'log in at this issuer; required if it is on a different site from the server',
      readSecureUrl,
    )
    .option('--client-id <id>', 'use the ID of your client at the issuer (default: register one)')
    .option(
      '--verification-host <host>',
      'allow the issuer to send you to this other host to enter a code; repeatable',
      (text, before: string[] = []) => [...before, new URL(`https://${readHost(text)}`).host],
    )
    .allowExcessArguments()
    .action(
      exitWith(async (url: string, _options: object, self: Command) => {
        if (self.args.length > 1)
          throw new CommandError(
            'usage',
            `too many arguments: write one URL, after the operation, as in ${described.examples[0]}`,
          )
        return run(url, self.optsWithGlobals<McpOptions>())
      }),
    )
}
