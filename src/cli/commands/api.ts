import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ApiOptions, AuthForm } from '../actions/api.ts'
import { command, exitWith } from '../command.ts'
import { CommandError } from '../command-error.ts'
import { profileName, readHost } from './values.ts'

/** A name of HTTP. RFC 9110, section 5.6.2. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/

const FORMS = ['none', 'basic', 'personal', 'app', 'oauth'] satisfies AuthForm[]

/** Declares `authgraph api`. */
export function apiCommand(): Command {
  return command({
    name: 'api',
    summary: 'call the API of a service, authenticated in one of five forms',
    description:
      'Sends one request to the API host, and nowhere else, and prints the answer: as it came into a file or a pipe, ' +
      'laid out and without control characters on a terminal. No secret is taken from the command line itself: --secret ' +
      'and --key say where it is.',
    exitCodes: { 0: 'an answer of success', 1: 'any other answer, or none' },
    examples: [
      'authgraph api /user',
      'authgraph api /repos/octo/hello/issues --field title=Hello',
      'authgraph api /app --auth app --app-id 12345 --key app.pem',
      'authgraph api /user --auth personal --secret env:GITHUB_TOKEN --include',
    ],
  })
    .argument('<path>', 'the path below the API, such as /user')
    .addOption(new Option('--auth <form>', 'how to authenticate').choices(FORMS).default('oauth'))
    .option('-p, --profile <name>', 'which login; the last one by default', profileName)
    .addOption(
      new Option('--host <host>', 'which service, where no login is meant; github.com by default')
        .argParser(readHost)
        .conflicts('profile'),
    )
    .option('--user <name>', 'the user name of --auth basic', userName)
    .option('--secret <place>', 'the password or the token: a file, - for standard input, or env:NAME')
    .option('--app-id <id>', 'the id of the application, for --auth app')
    .option('--key <place>', 'its private key: a file, - for standard input, or env:NAME')
    .option('-X, --method <method>', 'GET by default, POST where there are fields', method)
    .option('-F, --field <name=value>', 'a field of the query or of the JSON body; repeatable', collect('='))
    .option('-H, --header <name:value>', 'one more header; repeatable', header)
    .option('-i, --include', 'print the status and the headers of the answer too')
    .action(
      exitWith(async (path: string, options: ApiOptions) =>
        (await import('../actions/api.ts')).api(path, options),
      ),
    )
}

function collect(separator: string) {
  return (text: string, before: readonly [string, string][] = []): [string, string][] => {
    const at = text.indexOf(separator)
    if (at < 1) throw new InvalidArgumentError(`It takes a name and a value with ${separator} between them.`)
    return [...before, [text.slice(0, at).trim(), text.slice(at + 1)]]
  }
}

const headers = collect(':')

function header(text: string, before?: readonly [string, string][]): [string, string][] {
  if (/^\s*(authorization|proxy-authorization|cookie)\s*:/i.test(text))
    throw new CommandError(
      'secret_in_argument',
      'a header with a credential: say with --auth and --secret where it is',
    )
  const named = headers(text, before)
  // In the name what a token is made of, in the value what one byte holds. RFC 9110, section 5.
  if (!named.every(([name, value]) => TOKEN.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value)))
    throw new InvalidArgumentError('It takes the name of a header and a value of one line.')
  return named
}

function method(text: string): string {
  const method = text.toUpperCase()
  // The other two are for proxies, and `fetch` has none of them.
  if (!TOKEN.test(method) || ['CONNECT', 'TRACE', 'TRACK'].includes(method))
    throw new InvalidArgumentError('It takes a method, such as PUT.')
  return method
}

function userName(text: string): string {
  if (text.includes(':'))
    throw new CommandError(
      'secret_in_argument',
      '--user takes the name alone: say with --secret where the password is',
    )
  return text
}
