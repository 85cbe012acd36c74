import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, statSync } from 'node:fs'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { ShownCodes } from '../client/options.ts'
import { BadOptionError } from '../errors.ts'
import { printable } from './wire.ts'

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
 * Turns the command line of an option into an `approve` or `deny` function. The argument `CODE` is replaced by the user
 * code, and the variables `AUTHGRAPH_USER_CODE`, `AUTHGRAPH_VERIFICATION_URI` and `AUTHGRAPH_VERIFICATION_URI_COMPLETE` are set.
 *
 * The command runs without a shell. It might be a shell itself, so a code with characters other than letters, digits and
 * hyphens is never passed to it.
 *
 * @param option As errors name it.
 * @param onOutput Is called with each line that the command prints.
 * @param signal Ends the command.
 * @throws {@link BadOptionError} for a command line that cannot be parsed, whose program cannot be run, or with `CODE` inside
 * a longer word. The function throws it if the command cannot be started.
 */
export function decideByCommand(
  option: string,
  commandLine: string,
  onOutput: (line: string) => void,
  signal?: AbortSignal,
): (codes: ShownCodes) => Promise<void> {
  const [program, ...words] = readWords(option, commandLine)
  if (program === undefined) throw new BadOptionError(`${option} is empty: give a program and its arguments`)
  if (words.some((word) => word !== PLACEHOLDER && WITHIN.test(word)))
    throw new BadOptionError(
      `CODE must be a separate word of ${option}; the command can also read the variable AUTHGRAPH_USER_CODE`,
    )
  // A word with "=" was meant for a shell, and may contain a secret.
  const named = program.includes('=') ? 'the first word' : `"${printable(program)}"`
  if (!canRun(program))
    throw new BadOptionError(`${named} in ${option} is not an executable program: check its name or path`)
  return async ({ userCode, verificationUri, verificationUriComplete = '' }) => {
    if (!SAFE_CODE.test(userCode))
      throw new Error(
        'the user code has characters other than letters, digits and hyphens, so the command was not run',
      )
    const args = words.map((word) => (word === PLACEHOLDER ? userCode : word))
    const variables = {
      AUTHGRAPH_USER_CODE: userCode,
      AUTHGRAPH_VERIFICATION_URI: verificationUri,
      AUTHGRAPH_VERIFICATION_URI_COMPLETE: verificationUriComplete,
    }
    await run({ option, program, args, variables, onOutput, signal })
  }
}

/** Whether the system finds a program that it may run. Windows decides when it starts one. */
function canRun(program: string): boolean {
  const { PATH } = process.env
  if (process.platform === 'win32' || PATH === undefined) return true
  if (program.includes('/')) return isExecutable(program)
  return PATH.split(':').some((folder) => isExecutable(`${folder || '.'}/${program}`))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Splits a command line into words like a shell, without any other shell feature. */
export function readWords(option: string, commandLine: string): string[] {
  if (commandLine.replaceAll(WORDS, '').trim() !== '')
    throw new BadOptionError(`${option} has a quote that is not closed`)
  return (commandLine.match(WORDS) ?? []).map((word) =>
    word.replaceAll(
      /\\(.)|'([^']*)'|"((?:[^"\\]|\\.)*)"/gs,
      (_, escaped, single, double) => escaped ?? single ?? double.replaceAll(/\\(["\\])/g, '$1'),
    ),
  )
}

interface Command {
  readonly option: string
  readonly program: string
  readonly args: readonly string[]
  readonly variables: Readonly<Record<string, string>>
  readonly onOutput: (line: string) => void
  readonly signal: AbortSignal | undefined
}

async function run({ option, program, args, variables, onOutput, signal: stop }: Command): Promise<void> {
  const env = { ...process.env, ...variables }
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], signal: stop })
  const outputs = [child.stdout, child.stderr] as Socket[]
  for (const output of outputs) createInterface(output).on('line', (line) => onOutput(printable(line)))
  // With the option `timeout`, a command that cannot be started would keep this process alive.
  const timer = setTimeout(() => child.kill(), TIMEOUT)
  const [code, signal] = await once(child, 'exit')
    .catch(({ code }: NodeJS.ErrnoException) => {
      throw new BadOptionError(`${option} cannot be started (${code}): check the command`)
    })
    .finally(() => clearTimeout(timer))
  // A program that the command started may keep them open, such as a browser.
  for (const output of outputs) output.unref()
  if (code !== 0) throw new Error(`${option} ended with ${code === null ? signal : `exit code ${code}`}`)
}
