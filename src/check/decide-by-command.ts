import { spawn } from 'node:child_process'
import type { ShownCodes } from '../client/options.ts'
import { BadOptionError } from '../errors.ts'

/** Milliseconds a command may take. */
const TIMEOUT = 120_000

/** The word that the user code replaces. */
const PLACEHOLDER = 'CODE'

/** `CODE` as a part of a word: not `UNICODE`. */
const WITHIN = /\bCODE\b/

/** A code that no program takes for an option or a script. */
const HARMLESS = /^[A-Za-z0-9][A-Za-z0-9-]*$/

/** Words with what quotes and backslashes keep together. */
const WORDS = /(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+/gs

/**
 * Makes a decision of a command line: the word `CODE` in it is replaced by the user code, and the variables
 * `AUTHGRAPH_USER_CODE`, `AUTHGRAPH_VERIFICATION_URI` and `AUTHGRAPH_VERIFICATION_URI_COMPLETE` are set.
 *
 * No shell reads it, and a code with other characters than letters, digits and hyphens is handed to no command: the
 * command may be a shell itself.
 *
 * @throws {@link BadOptionError} for a command line that cannot be read, or has `CODE` within a longer word.
 */
export function decideByCommand(commandLine: string): (codes: ShownCodes) => Promise<void> {
  const [program, ...words] = readWords(commandLine)
  if (program === undefined) throw new BadOptionError('the command for a decision is empty')
  if (words.some((word) => word !== PLACEHOLDER && WITHIN.test(word)))
    throw new BadOptionError(
      'CODE must be a word of its own in the command for a decision: within a word, use the variable AUTHGRAPH_USER_CODE',
    )
  return async ({ userCode, verificationUri, verificationUriComplete = '' }) => {
    if (!HARMLESS.test(userCode))
      throw new Error('a command is passed only user codes of letters, digits and hyphens between them')
    const args = words.map((word) => (word === PLACEHOLDER ? userCode : word))
    await run(program, args, {
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
