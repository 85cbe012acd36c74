import type { DeviceView } from '../client/view.ts'
import { type ErrorCode, NotKeptError, RefusedError } from '../errors.ts'
import type { NoBrowser } from './why-no-browser.ts'

/** An error with a stable `code`, such as any `AuthgraphError`. */
export interface Failure extends Error {
  /** Names the kind of error. */
  readonly code: string
}

/** Every text that `loginInTerminal` writes for users. Replace some to translate them or to name your app. */
export interface TerminalTexts {
  /** The label of the address. */
  readonly open: string
  /** The label of the code. */
  readonly enter: string
  /** The address and the code in one line, for files and pipes. */
  openAndEnter(address: string, code: string): string
  /** What the keys do. */
  readonly keys: {
    readonly open: string
    /** Contains the code, which users of a screen reader cannot read in large letters. */
    copy(code: string): string
    readonly stop: string
  }
  /** Describes a state. Default: the `text` of the view; of `authorized`, which says no more than its name, what it means. */
  state(view: DeviceView): string
  /** The seconds until the codes expire, after a state in a file or a pipe. */
  secondsLeft(seconds: number): string
  /** What happens next; `undefined` if the codes expire before another poll. */
  nextPoll(seconds: number | undefined): string
  /** Shown while a poll is running. */
  readonly polling: string
  /** How long the code is valid, as `4:59`. */
  validFor(time: string): string
  /** The clipboard has the code. */
  readonly copied: string
  /** The terminal was asked to copy the code, and does not say whether it did. */
  readonly askedToCopy: string
  /** There is no clipboard. */
  readonly noClipboard: string
  /** The browser is being opened. */
  opening(address: string): string
  /** Why no browser is opened. */
  readonly noBrowser: Readonly<Record<NoBrowser, string>>
  /** No browser is opened, and only this machine can open the address. */
  forwardPort(port: string): string
  /** Standard output is a file or a pipe, so the login is shown on standard error. */
  readonly shownHere: string
  /** In continuous integration, where nobody may see the code. */
  readonly inCi: string
  /** The login is complete. */
  readonly loggedIn: string
  /** Introduces the description of a refusal by the service. */
  serviceSays(description: string): string
  /** What is wrong. Default: the message of the error, and the error code of a refusal or the fault of the last poll. */
  message(error: Failure): string
  /** What the user can do about an error; empty if its message says so. */
  advice(error: Failure): string
}

/** The default texts, in English. */
export const terminalTexts: TerminalTexts = {
  open: 'Open',
  enter: 'Code',
  openAndEnter: (address, code) => `Open ${address} and enter the code ${code}`,
  keys: { open: 'opens the browser', copy: (code) => `copies ${code}`, stop: 'cancels the login' },
  state: ({ status, text }) => (status === 'authorized' ? 'The token has arrived.' : text),
  secondsLeft: (seconds) => `(${seconds} s left)`,
  nextPoll: (seconds) => (seconds === undefined ? 'no further poll' : `next poll in ${seconds} s`),
  polling: 'polling now',
  validFor: (time) => `code valid for ${time}`,
  copied: 'Copied the code to the clipboard.',
  askedToCopy: 'Asked the terminal to copy the code.',
  noClipboard: 'No clipboard available: copy the code manually.',
  opening: (address) => `Opening ${address}`,
  noBrowser: {
    ssh: 'This is an SSH session: open the address on your own device.',
    ci: 'This is a CI job: open the address on your own device.',
    container: 'No browser available in this container: open the address on another device.',
    display: 'No browser available: open the address on another device.',
    text_browser: 'BROWSER names a text browser: open the address on another device.',
  },
  forwardPort: (port) => `No browser here: forward port ${port} to your own device, then open the address.`,
  shownHere: 'Standard output is not a terminal, so the login is shown here.',
  inCi: 'This is a CI job: somebody must enter the code before it expires.',
  loggedIn: 'Logged in.',
  serviceSays: (description) => `The service says: ${description}`,
  message: messageOf,
  advice: ({ code }) => ADVICE[code as ErrorCode] ?? '',
}

const ADVICE: Partial<Record<ErrorCode, string>> = {
  denied: 'No token was issued. Run the command again if this was a mistake.',
  expired: 'Run the command again to get a new code.',
  unreachable: 'Check the connection, and the proxy if there is one.',
  timed_out: 'Try again later.',
}

/** The message of the library, with what only a program can read. */
function messageOf(error: Failure): string {
  if (error instanceof NotKeptError)
    return `the token was received but could not be stored: ${(error.cause as Error).message}`
  if (error.code === 'expired' && error.cause instanceof Error)
    return `the code expired, and the last poll failed: ${messageOf(error.cause as Failure)}`
  const { error: code } = error instanceof RefusedError ? error : {}
  if (code === undefined || error.message.includes(' error code ') || error.message.endsWith(`: ${code}`))
    return error.message
  // Some services put a sentence there, as GitHub does for an unknown client ID.
  const named = code.includes(' ') ? `: ${code}` : ` and error code ${code}`
  return error.message.replace(/ with status \d+/, (status) => `${status}${named}`)
}

/** Tells whether the error code is known: the message then says what to do. */
export function isExplained({ code, error, message }: RefusedError): boolean {
  return code !== 'refused' || message.includes(` with error code ${error}: `)
}
