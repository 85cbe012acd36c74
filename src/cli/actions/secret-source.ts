import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { Secret } from '../../secret.ts'
import { CommandError } from '../command-error.ts'

/**
 * Reads a secret from where it is: a file, `-` for the standard input, or `env:NAME` for a variable.
 *
 * @param option The option, as the message names it. What it holds is not quoted: it may be the secret itself.
 * @throws CommandError `usage`
 */
export async function readSecret(source: string, option: string): Promise<Secret> {
  const secret = (await textAt(source, option)).trim()
  if (secret === '')
    throw new CommandError('usage', `${option} is empty: is the variable set, or the file complete?`)
  return new Secret(secret)
}

async function textAt(source: string, option: string): Promise<string> {
  if (source.startsWith('env:')) return process.env[source.slice('env:'.length)] ?? ''
  try {
    // Whoever writes into the pipe may need a moment, which a reading at once would not give.
    return await (source === '-' ? text(process.stdin) : readFile(source, 'utf8'))
  } catch (error) {
    throw new CommandError(
      'usage',
      `${option} cannot be read (${(error as NodeJS.ErrnoException).code}): it takes a file, - for standard input, or ` +
        'env:NAME for a variable. A secret itself does not belong there: every user of this machine could read it',
    )
  }
}
