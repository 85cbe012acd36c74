import { InvalidArgumentError } from 'commander'
import { hostAddress, isLoopback } from '../../protocol/address.ts'

/** Reads an option that is a whole number from `least` to `most`. */
export function wholeNumber(least: number, most: number, unit = '') {
  return (text: string): number => {
    const number = Number(text)
    if (!/^\d+$/.test(text) || number < least || number > most)
      throw new InvalidArgumentError(
        `It takes a whole number${unit && ` of ${unit}`} from ${least} to ${most}.`,
      )
    return number
  }
}

/** Adds the scopes of one option to those of the options before it. */
export function scopes(text: string, before: readonly string[] = []): string[] {
  return [...before, ...text.split(/[\s,]+/).filter((scope) => scope !== '')]
}

/** Reads a host as users write it. A loopback address keeps its scheme, and has `http` by default. */
export function readHost(text: string): string {
  const url = hostAddress(text)
  if (url === undefined)
    throw new InvalidArgumentError(
      'It takes a host, such as github.com or git.example.com. Only a loopback address, such as ' +
        'http://localhost:8080, may do without https.',
    )
  return isLoopback(url.hostname) ? url.origin : url.host
}

/** Reads the address of an issuer. */
export function readIssuer(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError('It takes an address, such as https://login.example.com.')
  return text
}

/** Tells a text that `--profile` takes: nothing in it means anything to a shell but a pattern. */
export function isProfileName(text: string): boolean {
  return /^[\w.:@[\]-]{1,100}$/.test(text)
}

/** Reads the name of a profile. */
export function profileName(text: string): string {
  if (!isProfileName(text))
    throw new InvalidArgumentError('It takes a name of letters, digits and the characters . : @ _ - [ ]')
  return text
}
