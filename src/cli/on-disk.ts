import { CommandError } from './command-error.ts'

/**
 * Uses files. If that fails, says what could not be done, and why in the word of the system, such as `ENOSPC`.
 *
 * @param advice What the user can do.
 * @throws {@link CommandError} with code `unusable_file`.
 */
export function onDisk<Result>(problem: string, use: () => Result, advice?: string): Result {
  try {
    return use()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CommandError('unusable_file', `${problem} (${code})${advice ? `: ${advice}` : ''}`)
  }
}
