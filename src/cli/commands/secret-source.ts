import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { Secret } from '../../secret.ts'
import { CommandError } from '../command-error.ts'
import { fileProblem } from '../files.ts'
import { errorWriter } from '../print-error.ts'

/**
 * Reads a secret from a file, from standard input (`-`) or from a variable (`env:NAME`).
 *
 * @param option The option, as the error names it. Its value is not quoted: it may be the secret itself.
 * @throws {@link CommandError} with code `usage`.
 */
export async function readSecret(source: string, option: string): Promise<Secret> {
  const secret = (await textAt(source, option)).trim()
  if (secret === '') throw new CommandError('usage', `${option} is empty: ${adviceFor(source)}`)
  return new Secret(secret)
}

const PLACES = 'a file, - for standard input, or env:NAME for a variable'

function adviceFor(source: string): string {
  if (source === '') return `it takes ${PLACES}`
  if (source === '-') return 'pipe it to this command'
  return source.startsWith('env:') ? 'check that the variable is set' : 'check the file'
}

async function textAt(source: string, option: string): Promise<string> {
  if (source === '') return ''
  if (source.startsWith('env:')) return process.env[source.slice('env:'.length)] ?? ''
  if (source === '-' && process.stdin.isTTY)
    errorWriter().print('Reading standard input until Ctrl-D, or Ctrl-Z on Windows.')
  try {
    // A synchronous read would fail if the writer of the pipe is slower.
    return await (source === '-' ? text(process.stdin) : readFile(source, 'utf8'))
  } catch (error) {
    throw new CommandError(
      'usage',
      `the file of ${option} cannot be read (${fileProblem(error)}): check its path and permissions. ${option} takes ${PLACES}, ` +
        'but not the secret itself, which every user of this machine could read',
    )
  }
}
