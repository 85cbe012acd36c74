import { spawn } from 'node:child_process'
import { resolve } from 'node:path'

/** The built command. */
export const COMMAND = resolve(import.meta.dirname, '../../../dist/src/cli/main.cjs')

/** Options of a run. */
export interface RunOptions {
  readonly env?: Record<string, string>
  readonly cwd?: string
  readonly input?: string
  /** Milliseconds before the input is written to the pipe. */
  readonly inputAfter?: number
  readonly command?: string
  /** Sends a signal once the condition is true, then calls the function. */
  readonly killWhen?: readonly [happened: () => boolean, signal: NodeJS.Signals, then?: () => void]
  /** Closes standard output after the first output, or once the output is like this, as `head` does. */
  readonly isCut?: boolean | RegExp
  /** The file descriptor of standard output, or a pipe that nobody reads. Default: a pipe. */
  readonly stdout?: number | 'closed'
  /** Called with the output so far. */
  readonly onOutput?: (text: string, kill: (signal: NodeJS.Signals) => void) => void
}

interface Ended {
  readonly code: number | null
  /** The signal of `killWhen`, if it ended the command. */
  readonly signal?: NodeJS.Signals
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command with pipes. */
export function run(args: readonly string[], options: RunOptions) {
  const { env, cwd, input = '', inputAfter = 0, command = COMMAND, killWhen, isCut, onOutput } = options
  const { stdout: output } = options
  const child = spawn(process.execPath, [command, ...args], {
    env,
    cwd,
    stdio: ['pipe', typeof output === 'number' ? output : 'pipe', 'pipe'],
  })
  if (output === 'closed') child.stdout?.destroy()
  child.stdin?.on('error', () => undefined)
  setTimeout(() => child.stdin?.end(input), inputAfter)
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk) => {
    stdout += chunk
    if (isCut instanceof RegExp ? isCut.test(stdout) : isCut) child.stdout?.destroy()
    onOutput?.(stdout, (signal) => child.killed || child.kill(signal))
  })
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  if (killWhen) {
    const [happened, signal, then = () => undefined] = killWhen
    const timer = setInterval(() => {
      if (!happened()) return
      clearInterval(timer)
      child.kill(signal)
      setTimeout(then, 100)
    }, 10)
    child.once('close', () => clearInterval(timer))
  }
  return new Promise<Ended>((resolve) =>
    child.on('close', (code, signal) =>
      resolve({ code, stdout, stderr, ...(signal && killWhen && { signal }) }),
    ),
  )
}

/** Parses one JSON object per line. */
// biome-ignore lint/suspicious/noExplicitAny: tests check the objects field by field.
export function linesOfJson(text: string): any[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}
