/**
 * A login for command lines. Start with {@link loginCommands}: the commands `login`, `logout`, `whoami`, `token` and
 * `status`. `loginInTerminal` shows one login: the code, a QR code, a countdown, keys, and how it ended.
 *
 * @module authgraph/terminal
 */

export { discover } from '../client/discover.ts'
export {
  BadOptionError,
  CancelledError,
  DeniedError,
  ExpiredError,
  NotKeptError,
} from '../errors.ts'
export type { Provider, ServiceAddresses } from '../protocol/provider.ts'
export { github, githubEnterprise, rfc8628 } from '../protocol/providers.ts'
export {
  type LoginCommandOptions,
  type LoginCommands,
  type LoginCommandsOptions,
  loginCommands,
} from './login-commands.ts'
export { loginInTerminal } from './login-in-terminal.ts'
export type { TerminalOptions } from './login-terminal.ts'
export { type Failure, type TerminalTexts, terminalTexts } from './texts.ts'
export type { NoBrowser } from './why-no-browser.ts'
