import { AuthgraphError } from '../errors.ts'
import { terminalTexts } from '../terminal/texts.ts'

/** The codes of errors that only the command line reports. */
export type CommandErrorCode =
  | 'usage'
  | 'bad_variable'
  | 'cannot_listen'
  | 'secret_in_argument'
  | 'no_keyring'
  | 'no_api'
  | 'no_login'
  | 'no_saved_login'
  | 'not_installed'
  | 'not_kept'
  | 'not_refreshed'
  | 'not_bearer'
  | 'damaged_file'
  | 'unusable_file'
  | 'unusable_output'

/** An error of the command line. The message says what is wrong and, where that helps, what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code: CommandErrorCode

  constructor(code: CommandErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** A saved login cannot be read. The message quotes nothing of it. */
export class DamagedLoginError extends CommandError {
  readonly profile: string

  constructor(profile: string) {
    super(
      'damaged_file',
      `the saved login of ${profile} is damaged or from another version: run authgraph logout --profile ${profile}, then log in with the options that you first used`,
    )
    this.profile = profile
  }
}

/** A saved login cannot be read without the keyring. */
export class SealedLoginError extends CommandError {
  readonly profile: string

  constructor(profile: string, message: string) {
    super('no_keyring', message)
    this.profile = profile
  }
}

/** A refresh failed, which does not end the login. `cause` is the reason. */
export class NotRefreshedError extends CommandError {
  override readonly cause: AuthgraphError
  readonly profile: string

  constructor(profile: string, cause: AuthgraphError) {
    // What it says about an error code is for a login.
    const why = withoutAdvice(terminalTexts.message(cause))
    super('not_refreshed', `the token of ${profile} could not be refreshed: ${why}`)
    this.profile = profile
    this.cause = cause
  }
}

/** The message of a refusal without what it says about the error code. */
export function withoutAdvice(message: string): string {
  return message.replace(/(?<= with error code \w+): .*/, '')
}

/** An error that a command reports in one sentence. Any other error is a bug. */
export type ReportedError = AuthgraphError | CommandError

/** Tells whether a command reports this error in one sentence. */
export function isFailure(error: unknown): error is ReportedError {
  return error instanceof AuthgraphError || error instanceof CommandError
}
