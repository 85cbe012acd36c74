import { readFileSync } from 'node:fs'
import { Secret } from '../secret.ts'
import { CommandError } from './command-error.ts'

/**
 * Reads a secret from where it is: a file, `-` for the standard input, or `env:NAME` for a variable.
 *
 * @param option The option, as the message names it. What it holds is not quoted: it may be the secret itself.
 * @throws CommandError `usage`
 */
export function readSecret(source: string, option: string): Secret {
  const text = textAt(source, option).trim()
  if (text === '')
    throw new CommandError('usage', `${option} is empty: is the variable set, or the file complete?`)
  return new Secret(text)
}

function textAt(source: string, option: string): string {
  if (source.startsWith('env:')) return process.env[source.slice('env:'.length)] ?? ''
  try {
    return readFileSync(source === '-' ? process.stdin.fd : source, 'utf8')
  } catch (error) {
    throw new CommandError(
      'usage',
      `${option} cannot be read (${(error as NodeJS.ErrnoException).code}): it takes a file, - for standard input, or ` +
        'env:NAME for a variable. A secret itself does not belong there: every user of this machine could read it',
    )
  }
}
