import { InvalidArgumentError } from 'commander'
import { isLoopback } from '../../protocol/syntax.ts'
import { hostIn } from '../network/service-address.ts'
import { isProfileName } from '../storage/profiles.ts'
import { SERVER_URL } from '../usage-error.ts'

/** Parses a whole number from `least` to `most`. */
export function wholeNumber(least: number, most: number, unit = '') {
  return (text: string): number => {
    const number = Number(text)
    if (!/^\d+$/.test(text) || number < least || number > most)
      throw new InvalidArgumentError(
        `Expected a whole number${unit && ` of ${unit}`} from ${least} to ${most}.`,
      )
    return number
  }
}

/** Adds the scopes of one option to those of the previous options. */
export function scopes(text: string, before: readonly string[] = []): string[] {
  return [...before, ...text.split(/[\s,]+/).filter((scope) => scope !== '')]
}

/** Parses a host as users write it. */
export function readHost(text: string): string {
  const host = hostIn(text)
  if (host !== undefined) return host
  if (hostIn(text.replace(/(?<=[^:/])\/[^?#]*$/, '')) !== undefined)
    return refuseAddress(text, 'Expected a host without a path, such as github.com or git.example.com.')
  const expected = 'Expected a host, such as github.com or git.example.com.'
  return refuseAddress(
    text,
    /^http:/i.test(text)
      ? `${expected} Only a loopback address, such as http://localhost:8080, may use http.`
      : expected,
  )
}

/** Parses an address. */
export function readUrl(text: string): string {
  return readAddress(text, 'https://login.example.com')
}

function readAddress(text: string, example: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text
  return refuseAddress(text, `Expected an address that starts with https:// or http://, such as ${example}.`)
}

/** Throws what is expected instead of this address: another port, or what is given. */
export function refuseAddress(text: string, expected: string): never {
  const [, port] = /:(\d+)(?:\/|$)/.exec(text) ?? []
  throw new InvalidArgumentError(Number(port) > 65_535 ? 'Expected a port from 0 to 65535.' : expected)
}

/** Parses an address to which secrets are sent. */
export function readSecureUrl(text: string): string {
  return assertSecure(readUrl(text))
}

/** Parses the URL of an MCP server. */
export function readServerUrl(text: string): string {
  return assertSecure(readAddress(text, SERVER_URL))
}

function assertSecure(text: string): string {
  const { protocol, hostname } = new URL(text)
  if (protocol === 'https:' || isLoopback(hostname)) return text
  throw new InvalidArgumentError(
    'Expected an address that starts with https://. Only a loopback address, such as http://localhost:8080, may use http.',
  )
}

/** Parses the name of a profile. */
export function profileName(text: string): string {
  if (!isProfileName(text))
    throw new InvalidArgumentError(
      'Expected a name, such as work: 1 to 100 letters, digits and characters . : @ _ - [ ]',
    )
  return text
}
