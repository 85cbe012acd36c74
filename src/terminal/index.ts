/**
 * A login on a terminal, for command lines: the code, a QR code, a countdown, keys, and how it ended.
 *
 * @module authgraph/terminal
 */

export {
  CancelledError,
  DeniedError,
  ExpiredError,
  NotKeptError,
} from '../errors.ts'
export { loginInTerminal } from './login-in-terminal.ts'
export type { TerminalOptions } from './login-terminal.ts'
export { type Failure, type TerminalTexts, terminalTexts } from './texts.ts'
export type { NoBrowser } from './why-no-browser.ts'
