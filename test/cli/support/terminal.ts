import { type IPty, spawn } from '@lydell/node-pty'
import { COMMAND } from './command.ts'
import { screen } from './screen.ts'

/** Options of a terminal. */
export interface TerminalOptions {
  readonly env?: Record<string, string>
  readonly columns?: number
  readonly rows?: number
  /** A program to run instead of the command. */
  readonly command?: string
  /** Run by a shell that prints when the command is suspended, and resumes it after a line. */
  readonly inShell?: boolean
}

const SHELL = 'set -m; "$0" "$@"; echo "suspended with $?"; read; fg >/dev/null'

/** Runs the command in a pseudo-terminal. */
export function openTerminal(
  args: readonly string[],
  { env, columns = 80, rows = 24, inShell = false, command: program = COMMAND }: TerminalOptions,
) {
  const view = screen(columns)
  let raw = ''
  let check = () => {}
  const command = [process.execPath, program, ...args]
  const [file = '', ...words] = inShell ? ['bash', '-c', SHELL, ...command] : command
  const pty: IPty = spawn(file, words, {
    cols: columns,
    rows,
    env: { TERM: 'xterm-256color', ...env },
  })
  pty.onData((data) => {
    raw += data
    view.write(data)
    check()
  })
  const exit = new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)))
  return {
    exit,
    end: () => pty.kill('SIGKILL'),
    press: (keys: string) => pty.write(keys),
    /** The complete output, with control sequences. */
    raw: () => raw,
    screen: view.text,
    /** Waits until the screen shows something. */
    shows: (pattern: RegExp) =>
      new Promise<string>((resolve, reject) => {
        check = () => {
          if (pattern.test(view.text())) resolve(view.text())
        }
        void exit.then(() => {
          check()
          reject(new Error(`it ended and never showed ${pattern}:\n${view.text()}`))
        })
        check()
      }),
  }
}
