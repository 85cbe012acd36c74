import { spawn } from 'node:child_process'
import type { ShownCodes } from '../../client/options.ts'
import { BadOptionError } from '../../errors.ts'

/** Milliseconds a command may take. */
const TIMEOUT = 120_000

/** Where the user code goes, as a word or a part of one: not within `UNICODE`. */
const PLACEHOLDER = /\bCODE\b/g

/** Words with what quotes and backslashes keep together. */
const WORDS = /(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+/gs

/**
 * Makes a decision of a command line: `CODE` in it is replaced by the user code, and the variables
 * `AUTHGRAPH_USER_CODE`, `AUTHGRAPH_VERIFICATION_URI` and `AUTHGRAPH_VERIFICATION_URI_COMPLETE` are set.
 *
 * No shell reads it: whatever a service sends as a code stays one argument of the command.
 *
 * @throws BadOptionError for a command line that cannot be read.
 */
export function decideByCommand(commandLine: string): (codes: ShownCodes) => Promise<void> {
  const [program, ...words] = readWords(commandLine)
  if (program === undefined) throw new BadOptionError('the command for a decision is empty')
  return ({ userCode, verificationUri, verificationUriComplete = '' }) => {
    if (userCode.startsWith('-'))
      return Promise.reject(new Error('the user code begins with a hyphen, as options of a command do'))
    const args = words.map((word) => word.replaceAll(PLACEHOLDER, () => userCode))
    return run(program, args, {
      AUTHGRAPH_USER_CODE: userCode,
      AUTHGRAPH_VERIFICATION_URI: verificationUri,
      AUTHGRAPH_VERIFICATION_URI_COMPLETE: verificationUriComplete,
    })
  }
}

/** Cuts a command line into words as shells do, and does nothing else of what they do. */
export function readWords(commandLine: string): string[] {
  if (commandLine.replaceAll(WORDS, '').trim() !== '')
    throw new BadOptionError('the command for a decision has a quote that is not closed')
  return (commandLine.match(WORDS) ?? []).map((word) =>
    word.replaceAll(
      /\\(.)|'([^']*)'|"((?:[^"\\]|\\.)*)"/gs,
      (_, escaped, single, double) => escaped ?? single ?? double.replaceAll(/\\(["\\])/g, '$1'),
    ),
  )
}

/** What the command prints goes to where errors go: the report is alone on standard output. */
function run(program: string, args: readonly string[], variables: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: { ...process.env, ...variables },
      stdio: ['ignore', 2, 2],
      timeout: TIMEOUT,
    })
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(`the command cannot be run: ${error.code}`)),
    )
    child.once('exit', (code, signal) => {
      if (code === 0) resolve()
      else reject(new Error(`the command ended with ${code === null ? signal : `exit code ${code}`}`))
    })
  })
}
