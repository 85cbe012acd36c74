import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ApiOptions, AuthForm } from '../actions/api.ts'
import { command, exitWith } from '../command.ts'
import { CommandError } from '../command-error.ts'
import { profileName, readHost } from './values.ts'

/** A token of HTTP: {@link https://www.rfc-editor.org/rfc/rfc9110.html#section-5.6.2 RFC 9110, section 5.6.2}. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/

const FORMS = ['none', 'basic', 'personal', 'app', 'oauth'] satisfies AuthForm[]

/** Declares `authgraph api`. */
export function apiCommand(): Command {
  return command({
    name: 'api',
    summary: 'send an authenticated request to the API of a service',
    description:
      'Send one request to the API host and print the response: unchanged to a file or a pipe, formatted and ' +
      'without control characters on a terminal. A secret is never part of the command line: --secret and --key ' +
      'say where to read it.',
    exitCodes: { 0: 'a response with status 2xx', 1: 'any other response, or none' },
    examples: [
      'authgraph api /user',
      'authgraph api /repos/octo/hello/issues --field title=Hello',
      'authgraph api /app --auth app --app-id 12345 --key app.pem',
      'authgraph api /user --auth personal --secret env:GITHUB_TOKEN --include',
      'authgraph api /user/repos --paginate | jq -r .full_name',
    ],
  })
    .argument('<path>', 'path of the API, such as /user')
    .addOption(new Option('--auth <form>', 'authenticate this way').choices(FORMS).default('oauth'))
    .option('-p, --profile <name>', 'use this profile (default: the last login)', profileName)
    .addOption(
      new Option('--host <host>', 'call this host (default: the host of the login, or github.com)')
        .argParser(readHost)
        .conflicts('profile'),
    )
    .option('--user <name>', 'use this user name with --auth basic', userName)
    .option('--secret <place>', 'read the password or token from a file, - for standard input, or env:NAME')
    .option('--app-id <id>', 'use this app id with --auth app')
    .option('--key <place>', 'read the private key of the app from a file, - for standard input, or env:NAME')
    .option('-X, --method <method>', 'use this method (default: GET, or POST with --field)', method)
    .option('-F, --field <name=value>', 'add a field to the query or the JSON body; repeatable', collect('='))
    .option('-H, --header <name:value>', 'add a request header; repeatable', header)
    .option('-i, --include', 'also print the status and headers of the response')
    .addOption(
      new Option(
        '--paginate',
        'follow all pages of a list, and print each item as one line of JSON',
      ).conflicts('include'),
    )
    .action(
      exitWith(async (path: string, options: ApiOptions) =>
        (await import('../actions/api.ts')).api(path, options),
      ),
    )
}

function collect(separator: string) {
  return (text: string, before: readonly [string, string][] = []): [string, string][] => {
    const at = text.indexOf(separator)
    if (at < 1) throw new InvalidArgumentError(`Expected a name and a value with ${separator} between them.`)
    return [...before, [text.slice(0, at).trim(), text.slice(at + 1)]]
  }
}

const headers = collect(':')

function header(text: string, before?: readonly [string, string][]): [string, string][] {
  if (/^\s*(authorization|proxy-authorization|cookie)\s*:/i.test(text))
    throw new CommandError(
      'secret_in_argument',
      'a header must not contain a credential: use --auth and --secret instead',
    )
  const named = headers(text, before)
  // `fetch` throws a TypeError for any other name or value: see RFC 9110, section 5.
  if (!named.every(([name, value]) => TOKEN.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)))
    throw new InvalidArgumentError('Expected a header name and a value on one line.')
  return named
}

function method(text: string): string {
  const method = text.toUpperCase()
  // `fetch` refuses these three.
  if (!TOKEN.test(method) || ['CONNECT', 'TRACE', 'TRACK'].includes(method))
    throw new InvalidArgumentError('Expected an HTTP method, such as PUT.')
  return method
}

function userName(text: string): string {
  if (text.includes(':'))
    throw new CommandError('secret_in_argument', '--user takes only the name: use --secret for the password')
  return text
}
