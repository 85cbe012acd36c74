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
      'Request codes from a service, poll it, let a user approve and deny, refresh and revoke tokens, and report which ' +
      'requirements of the specification and of the RFCs the service meets. The check waits as a device does and sends ' +
      'at most 60 requests. ' +
      'In the commands of --approve and --deny, the word CODE stands for the user code; no shell interprets them. ' +
      'Without these commands you are prompted on the terminal.',
    exitCodes: {
      0: 'no requirement failed',
      1: 'at least one requirement failed',
      130: 'interrupted with Ctrl-C',
    },
    examples: [
      "authgraph check http://localhost:3000 --client-id my-app \\\n--approve 'node approve.js CODE' --deny 'node deny.js CODE'",
      'authgraph check --issuer https://login.example.com --client-id my-app \\\n--yes-remote --junit check.xml',
    ],
  })
    .argument('[url]', 'address of a service with the default paths')
    .addOption(
      new Option('--client-id <id>', 'use this client id').env('AUTHGRAPH_CLIENT_ID').makeOptionMandatory(),
    )
    .option('--other-client-id <id>', 'check that this client cannot use the codes of the first')
    .option('--approve <command>', 'approve CODE with this command')
    .option('--deny <command>', 'deny CODE with this command')
    .addOption(
      new Option('--dialect <dialect>', 'expect this dialect')
        .choices(['github', 'rfc8628', 'auto'])
        .default('auto'),
    )
    .option('--issuer <url>', 'read the endpoints from the metadata of this issuer', readIssuer)
    .option('--device-authorization-endpoint <url>', 'request codes here', readIssuer)
    .option('--token-endpoint <url>', 'poll for the token here', readIssuer)
    .option(
      '--page-origin <url>',
      'expect the verification page on this origin, if it differs from the above',
      readIssuer,
    )
    .option('--resource <url>', 'send an access token here, before and after the revocation', readIssuer)
    .option('-s, --scope <scopes>', 'request these scopes; repeat, or separate with commas', scopes)
    .option('--wait-expiry', 'wait until the codes expire, however long that takes')
    .option('--yes-remote', 'allow a service on another machine')
    .option('--json', 'print the report as JSON')
    .option('--junit <file>', 'also write the report to this file as JUnit XML')
    .action(
      exitWith(async (url: string | undefined, options: CheckCommandOptions, self: Command) =>
        (await import('../actions/check.ts')).check(url, options, self),
      ),
    )
}
