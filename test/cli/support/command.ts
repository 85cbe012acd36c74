import { spawn } from 'node:child_process'
import { resolve } from 'node:path'

/** The command as built. */
export const COMMAND = resolve(import.meta.dirname, '../../../dist/src/cli/main.cjs')

/** How a command runs. */
export interface RunOptions {
  readonly env?: Record<string, string>
  readonly input?: string
  /** Milliseconds that the other end of the pipe takes to write it. */
  readonly inputAfter?: number
  readonly command?: string
  /** Sends a signal when something has happened, and calls the function then. */
  readonly killWhen?: readonly [happened: () => boolean, signal: NodeJS.Signals, then: () => void]
  /** Sees what has come so far. */
  readonly onOutput?: (text: string, kill: (signal: NodeJS.Signals) => void) => void
}

interface Ended {
  readonly code: number | null
  /** The signal of `killWhen`, where it ended the command. */
  readonly signal?: NodeJS.Signals
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command with pipes. */
export function run(args: readonly string[], options: RunOptions) {
  const { env, input = '', inputAfter = 0, command = COMMAND, killWhen, onOutput = () => undefined } = options
  const child = spawn(process.execPath, [command, ...args], { env })
  child.stdin.on('error', () => undefined)
  setTimeout(() => child.stdin.end(input), inputAfter)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
    onOutput(stdout, (signal) => child.killed || child.kill(signal))
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  if (killWhen) {
    const [happened, signal, then] = killWhen
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

/** Reads the objects that a command printed, one a line. */
// biome-ignore lint/suspicious/noExplicitAny: what comes is looked at field by field.
export function linesOfJson(text: string): any[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}
