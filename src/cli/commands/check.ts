import { type Command, Option } from 'commander'
import type { CheckCommandOptions } from '../actions/check.ts'
import { command, exitWith } from '../command.ts'
import { readIssuer, scopes } from './values.ts'

/** Declares `authgraph check`. */
export function checkCommand(): Command {
  return command({
    name: 'check',
    summary: 'check a service, requirement by requirement',
    description:
      'Asks a service for codes, polls it, has a user approve and deny, and says of each requirement of the ' +
      'specification and of RFC 8628 whether the service meets it. It waits as a device must, and sends 40 requests ' +
      'at most. In the commands of a decision the word CODE stands for the user code; no shell reads them. Without them, ' +
      'you are asked at the terminal.',
    exitCodes: { 0: 'no requirement failed', 1: 'some failed', 130: 'interrupted with Ctrl-C' },
    examples: [
      "authgraph check http://localhost:3000 --client-id my-app \\\n--approve 'node approve.js CODE' --deny 'node deny.js CODE'",
      'authgraph check --issuer https://login.example.com --client-id my-app \\\n--yes-remote --junit check.xml',
    ],
  })
    .argument('[url]', 'the address of the login paths, where they are those of the specification')
    .addOption(new Option('--client-id <id>', 'the client').env('AUTHGRAPH_CLIENT_ID').makeOptionMandatory())
    .option('--other-client-id <id>', 'a second client, to which the codes of the first mean nothing')
    .option('--approve <command>', 'approves CODE')
    .option('--deny <command>', 'denies CODE')
    .addOption(
      new Option('--dialect <dialect>', 'the dialect of the service')
        .choices(['github', 'rfc8628', 'auto'])
        .default('auto'),
    )
    .option('--issuer <url>', 'finds the endpoints in the metadata of this issuer', readIssuer)
    .option('--device-authorization-endpoint <url>', 'where codes are asked for', readIssuer)
    .option('--token-endpoint <url>', 'where the device polls', readIssuer)
    .option('--page-origin <url>', 'where the verification page is, if on no origin of the above', readIssuer)
    .option('-s, --scope <scopes>', 'scopes to ask for; repeat it, or separate by commas', scopes)
    .option('--wait-expiry', 'waits until codes run out, however long they live')
    .option('--yes-remote', 'allows a service on another machine')
    .option('--json', 'print the report as JSON, for programs')
    .option('--junit <file>', 'writes the report for build servers as well')
    .action(
      exitWith(async (url: string | undefined, options: CheckCommandOptions, self: Command) =>
        (await import('../actions/check.ts')).check(url, options, self),
      ),
    )
}
