import { closeSync, existsSync, openSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { type Command, Option } from 'commander'
import { checkService } from '../../check/check-service.ts'
import { decideByCommand } from '../../check/decide-by-command.ts'
import { toJUnit } from '../../check/junit.ts'
import type { CheckOptions } from '../../check/options.ts'
import type { CheckResult } from '../../check/report.ts'
import { discover } from '../../client/discover.ts'
import type { ShownCodes } from '../../client/options.ts'
import { BadOptionError } from '../../errors.ts'
import { github } from '../../protocol/providers.ts'
import { isLoopback } from '../../protocol/syntax.ts'
import { styled, type Writer, writerTo } from '../../terminal/writer.ts'
import { command, exitWith } from '../command.ts'
import { onDisk } from '../files.ts'
import { environmentFetch } from '../network/environment-fetch.ts'
import { endpointsOf } from '../network/service-address.ts'
import { inOptions } from '../option-names.ts'
import { checkReportTo } from './check-report.ts'
import { readSecureUrl, readUrl, scopes } from './values.ts'

interface CheckCommandOptions {
  readonly clientId?: string
  readonly otherClientId?: string
  readonly approve?: string
  readonly deny?: string
  readonly dialect: 'github' | 'rfc8628' | 'auto'
  readonly issuer?: string
  readonly deviceAuthorizationEndpoint?: string
  readonly tokenEndpoint?: string
  readonly pageOrigin?: string
  readonly resource?: string
  readonly scopes?: readonly string[]
  readonly waitExpiry?: true
  readonly yesRemote?: true
  readonly json?: true
  /** A path. */
  readonly junit?: string
  readonly color: boolean
}

type Decide = (codes: ShownCodes) => Promise<void>

/** Declares `authgraph check`. */
export function checkCommand(): Command {
  return command({
    name: 'check',
    summary: 'check a service, requirement by requirement',
    description:
      'Request codes from a service, poll it, let a user approve and deny, refresh and revoke tokens, and report which ' +
      'requirements of the specification and of the RFCs the service meets. The check waits as a device does and sends ' +
      'at most 100 requests. You approve at least two logins: one is misused, and a service may end it. ' +
      'In the commands of --approve and --deny, the word CODE stands for the user code; no shell interprets them. ' +
      'Without these commands, you are prompted. Without a terminal, and with --json, --approve is required.',
    exitCodes: {
      0: 'no requirement failed; some may not apply or not have been checked',
      1: 'at least one requirement failed, or an error ended the check without a report',
      130: 'stopped by Ctrl-C',
      143: 'stopped by SIGTERM',
    },
    examples: [
      "authgraph check http://localhost:3000 --client-id my-app \\\n--approve 'node approve.js CODE' --deny 'node deny.js CODE'",
      'authgraph check --issuer https://login.example.com --client-id my-app \\\n--yes-remote --junit check.xml',
    ],
  })
    .argument('[url]', 'address of a service with the default paths', readUrl)
    .addOption(new Option('--client-id <id>', 'use this client ID').env('AUTHGRAPH_CLIENT_ID'))
    .option('--other-client-id <id>', 'check that this client cannot use the codes of the first')
    .option('--approve <command>', 'approve CODE with this command')
    .option('--deny <command>', 'deny CODE with this command')
    .addOption(
      new Option('--dialect <dialect>', 'expect this dialect')
        .choices(['github', 'rfc8628', 'auto'])
        .default('auto'),
    )
    .option('--issuer <url>', 'read the endpoints from the metadata of this issuer', readSecureUrl)
    .option('--device-authorization-endpoint <url>', 'request codes here', readUrl)
    .option('--token-endpoint <url>', 'poll for the token here', readUrl)
    .option(
      '--page-origin <url>',
      'expect the verification page on this origin, if it differs from the above',
      readUrl,
    )
    .option('--resource <url>', 'send an access token here, before and after the revocation', readUrl)
    .option('-s, --scopes <list>', 'request these scopes; repeat, or separate with commas', scopes)
    .option('--wait-expiry', 'wait until the codes expire, however long that takes')
    .option('--yes-remote', 'allow a service on another machine')
    .option('--json', 'print the report as JSON')
    .option('--junit <file>', 'also write the report to this file as JUnit XML')
    .action(exitWith(check))
}

async function check(url: string | undefined, options: CheckCommandOptions): Promise<number> {
  const interrupt = new AbortController()
  const { signal } = interrupt
  // At a prompt, readline receives Ctrl-C instead of the process.
  let stopCode = 130
  const onInterrupt = () => interrupt.abort()
  const onTerminate = () => {
    stopCode = 143
    interrupt.abort()
  }
  process.once('SIGINT', onInterrupt).once('SIGTERM', onTerminate)
  // Standard output is for the report.
  const errors = writerTo(process.stderr, options)
  const reporter = checkReportTo(process.stdout, options)
  try {
    const { clientId } = options
    if (!clientId)
      throw new BadOptionError('no client ID: set --client-id or the variable AUTHGRAPH_CLIENT_ID')
    const fetch = showing429(await environmentFetch(), errors)
    const provider = await providerOf(url, options, { fetch, signal })
    const { deviceAuthorizationEndpoint, tokenEndpoint, revocationEndpoint } = provider
    const endpoints = [deviceAuthorizationEndpoint, tokenEndpoint, revocationEndpoint]
    refuseRemote(options, ...endpoints, options.pageOrigin, options.resource)
    const decisions = decisionsOf(options, errors, interrupt)
    // Before minutes of polling.
    if (options.junit) assertWritable(options.junit)
    reporter.begin(new URL(provider.tokenEndpoint).host)
    const checked = await checkService({
      clientId,
      provider,
      dialect: options.dialect,
      scopes: options.scopes ?? [],
      ...decisions,
      ...(options.otherClientId && { otherClientId: options.otherClientId }),
      ...(options.issuer && { issuer: options.issuer }),
      ...(options.pageOrigin && { pageOrigin: options.pageOrigin }),
      ...(options.resource && { resource: options.resource }),
      waitExpiry: options.waitExpiry ?? false,
      remote: options.yesRemote ?? false,
      fetch,
      signal,
      onResult: (result) => reporter.result(inOwnNames(result)),
    })
    const report = { ...checked, results: checked.results.map(inOwnNames) }
    reporter.end(report)
    const { junit } = options
    if (junit) onFile(junit, () => writeFileSync(junit, toJUnit(report, provider.tokenEndpoint)))
    return report.failed === 0 ? 0 : 1
  } catch (error) {
    if (!signal.aborted) throw error
    reporter.stop(errors)
    return stopCode
  } finally {
    process.off('SIGINT', onInterrupt).off('SIGTERM', onTerminate)
  }
}

/** Names the options of the command line, not those of the library. */
function inOwnNames(result: CheckResult): CheckResult {
  return result.detail === undefined ? result : { ...result, detail: inOptions(result.detail) }
}

/** Otherwise, the check would seem to hang while it waits. */
function showing429(fetch: typeof globalThis.fetch, { print }: Writer): typeof globalThis.fetch {
  return async (...request) => {
    const response = await fetch(...request)
    const after = response.headers.get('retry-after')
    if (response.status === 429)
      print(['    ', styled('dim', `waiting: status 429${after === null ? '' : `, retry-after: ${after}`}`)])
    return response
  }
}

/** Leaves the file as it is: the check may end without a report. */
function assertWritable(junit: string): void {
  const isNew = !existsSync(junit)
  onFile(junit, () => {
    closeSync(openSync(junit, 'a'))
    // The target, in case it is a link.
    if (isNew) rmSync(realpathSync(junit))
  })
}

function onFile(junit: string, use: () => void): void {
  onDisk(`cannot write ${junit}`, use, 'name another file with --junit')
}

async function providerOf(
  url: string | undefined,
  options: CheckCommandOptions,
  via: Pick<CheckOptions, 'fetch' | 'signal'>,
): Promise<CheckOptions['provider']> {
  const { issuer } = options
  const endpoints = endpointsOf(options)
  if (url && (endpoints || issuer))
    throw new BadOptionError('more than one service: give either its address, --issuer or both endpoints')
  if (endpoints) return endpoints
  if (issuer) {
    refuseRemote(options, issuer)
    return discover(issuer, via)
  }
  if (url === undefined) throw new BadOptionError('no service: give its address, --issuer or both endpoints')
  return github({ authUrl: url })
}

function refuseRemote({ yesRemote }: CheckCommandOptions, ...addresses: (string | undefined)[]): void {
  if (!yesRemote && addresses.some((address) => address && !isLoopback(new URL(address).hostname)))
    throw new BadOptionError('the service is on another machine: add --yes-remote to check it anyway')
}

/** Decides by the given commands, or asks the user at the terminal. */
function decisionsOf(
  { approve, deny, json }: CheckCommandOptions,
  writer: Writer,
  interrupt: AbortController,
): { readonly approve?: Decide; readonly deny?: Decide } {
  const isUser = process.stdin.isTTY && process.stderr.isTTY && !json
  const of = (line: string | undefined, word: string): Decide | undefined => {
    if (line !== undefined)
      return decideByCommand(
        `--${word}`,
        line,
        (output) => writer.print(['    ', styled('dim', `--${word}: ${output}`)]),
        interrupt.signal,
      )
    return isUser ? (codes) => askUser(codes, { word, writer, interrupt }) : undefined
  }
  const decisions = { approve: of(approve, 'approve'), deny: of(deny, 'deny') }
  if (!decisions.approve)
    throw new BadOptionError('nobody can approve a login: set --approve, or use a terminal without --json')
  return Object.fromEntries(Object.entries(decisions).filter(([, decide]) => decide !== undefined))
}

async function askUser(
  { verificationUri, userCode }: ShownCodes,
  {
    word,
    writer,
    interrupt,
  }: { readonly word: string; readonly writer: Writer; readonly interrupt: AbortController },
): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // While readline reads a line, it receives Ctrl-C instead of the process.
  terminal.once('SIGINT', () => interrupt.abort())
  const closed = new Promise<never>((_, reject) => {
    terminal.once('close', () => reject(new Error('the terminal was closed')))
  })
  try {
    writer.print(
      '',
      ['  Open  ', styled('underline', verificationUri)],
      ['  Code  ', styled('bold', userCode)],
    )
    const question = `${writer.render(`  Then ${word} the request and press Enter here.`)} `
    await Promise.race([terminal.question(question, { signal: interrupt.signal }), closed])
    process.stderr.write('\n')
  } finally {
    terminal.close()
  }
}
