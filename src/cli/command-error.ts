import { AuthgraphError } from '../errors.ts'

/** What can go wrong at a command line, besides what the package itself throws. */
export type CommandErrorCode =
  | 'usage'
  | 'cannot_listen'
  | 'secret_in_argument'
  | 'no_keyring'
  | 'no_login'
  | 'no_saved_login'
  | 'not_kept'
  | 'locked'
  | 'not_bearer'
  | 'damaged_file'
  | 'unusable_file'

/** What went wrong at a command line. The message says what to do, where the code alone does not. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code: CommandErrorCode

  constructor(code: CommandErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** What a command reports in a sentence. Anything else is a bug. */
export type Failure = AuthgraphError | CommandError

/** Tells whether a command reports this error in a sentence. */
export function isFailure(error: unknown): error is Failure {
  return error instanceof AuthgraphError || error instanceof CommandError
}
