import { spawn } from 'node:child_process'
import { resolve } from 'node:path'

/** The command as built. */
export const COMMAND = resolve(import.meta.dirname, '../../../dist/src/cli/main.cjs')

/** How a command runs. */
export interface RunOptions {
  readonly env?: Record<string, string>
  readonly input?: string
  readonly command?: string
  /** Sees what has come so far. */
  readonly onOutput?: (text: string, kill: (signal: NodeJS.Signals) => void) => void
}

/** Runs the command with pipes. */
export function run(args: readonly string[], options: RunOptions) {
  const { env, input = '', command = COMMAND, onOutput = () => undefined } = options
  const child = spawn(process.execPath, [command, ...args], { env })
  child.stdin.on('error', () => undefined).end(input)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
    onOutput(stdout, (signal) => child.killed || child.kill(signal))
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, stdout, stderr })),
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
