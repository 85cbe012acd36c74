import { spawn } from 'node:child_process'
import type { ShownCodes } from '../client/options.ts'
import { BadOptionError } from '../errors.ts'

/** Milliseconds after which the command is killed. */
const TIMEOUT = 120_000

/** The argument that is replaced by the user code. */
const PLACEHOLDER = 'CODE'

/** `CODE` as a part of a word: not `UNICODE`. */
const WITHIN = /\bCODE\b/

/** A code that no program can mistake for an option or a script. */
const SAFE_CODE = /^[A-Za-z0-9][A-Za-z0-9-]*$/

/** Words, including quoted parts and escaped characters. */
const WORDS = /(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+/gs

/**
 * Turns a command line into an `approve` or `deny` function. The argument `CODE` is replaced by the user code, and the
 * variables `AUTHGRAPH_USER_CODE`, `AUTHGRAPH_VERIFICATION_URI` and `AUTHGRAPH_VERIFICATION_URI_COMPLETE` are set.
 *
 * The command runs without a shell. It might be a shell itself, so a code with characters other than letters, digits and
 * hyphens is never passed to it.
 *
 * @throws {@link BadOptionError} for a command line that cannot be parsed, or with `CODE` inside a longer word.
 */
export function decideByCommand(commandLine: string): (codes: ShownCodes) => Promise<void> {
  const [program, ...words] = readWords(commandLine)
  if (program === undefined)
    throw new BadOptionError('the command is empty: give a program and its arguments')
  if (words.some((word) => word !== PLACEHOLDER && WITHIN.test(word)))
    throw new BadOptionError(
      'CODE must be a separate word of the command: inside a word, use the variable AUTHGRAPH_USER_CODE',
    )
  return async ({ userCode, verificationUri, verificationUriComplete = '' }) => {
    if (!SAFE_CODE.test(userCode))
      throw new Error(
        'the user code has characters other than letters, digits and hyphens, so the command was not run',
      )
    const args = words.map((word) => (word === PLACEHOLDER ? userCode : word))
    await run(program, args, {
      AUTHGRAPH_USER_CODE: userCode,
      AUTHGRAPH_VERIFICATION_URI: verificationUri,
      AUTHGRAPH_VERIFICATION_URI_COMPLETE: verificationUriComplete,
    })
  }
}

/** Splits a command line into words like a shell, without any other shell feature. */
export function readWords(commandLine: string): string[] {
  if (commandLine.replaceAll(WORDS, '').trim() !== '')
    throw new BadOptionError('the command has a quote that is not closed')
  return (commandLine.match(WORDS) ?? []).map((word) =>
    word.replaceAll(
      /\\(.)|'([^']*)'|"((?:[^"\\]|\\.)*)"/gs,
      (_, escaped, single, double) => escaped ?? single ?? double.replaceAll(/\\(["\\])/g, '$1'),
    ),
  )
}

/** Runs a command. Its output goes to standard error, since standard output is for the report. */
function run(program: string, args: readonly string[], variables: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: { ...process.env, ...variables },
      stdio: ['ignore', 2, 2],
      timeout: TIMEOUT,
    })
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(`the command could not be started: ${error.code}`)),
    )
    child.once('exit', (code, signal) => {
      if (code === 0) resolve()
      else reject(new Error(`the command ended with ${code === null ? signal : `exit code ${code}`}`))
    })
  })
}
