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
  /** The shell prints when the command is suspended, and resumes it after a line. */
  readonly isResumed?: boolean
}

const RUN = '"$0" "$@"'
const RUN_AND_RESUME = 'set -m; "$0" "$@"; echo "suspended with $?"; read; fg >/dev/null'

/** Printed by the shell at the end: node-pty may report the exit of a process before its last output. */
const MARK = '; printf "\\033]133;D;%s\\007" $?; read -r'
// biome-ignore lint/suspicious/noControlCharactersInRegex: this matches the mark.
const ENDED = /\u001b\]133;D;(\d+)\u0007/

/** Runs the command in a pseudo-terminal. */
export function openTerminal(
  args: readonly string[],
  { env, columns = 80, rows = 24, isResumed = false, command: program = COMMAND }: TerminalOptions,
) {
  const view = screen(columns)
  let raw = ''
  let check = () => {}
  const line = `${isResumed ? RUN_AND_RESUME : RUN}${MARK}`
  const pty: IPty = spawn('bash', ['-c', line, process.execPath, program, ...args], {
    cols: columns,
    rows,
    env: { TERM: 'xterm-256color', ...env },
  })
  const exit = new Promise<number>((resolve) => {
    pty.onData((data) => {
      raw += data
      view.write(data)
      check()
      const code = ENDED.exec(raw)?.[1]
      if (code !== undefined) resolve(Number(code))
    })
  })
  return {
    exit,
    end: () => pty.kill('SIGHUP'),
    press: (keys: string) => pty.write(keys),
    /** The complete output, with control sequences. */
    raw: () => raw,
    screen: view.text,
    /** The screen with its colors. */
    colored: view.colored,
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
