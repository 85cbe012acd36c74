import { BadOptionError } from '../errors.ts'
import { DEFAULT_INTERVAL } from '../protocol/endpoints.ts'
import { Secret } from '../secret.ts'
import type { ServiceOptions } from './options.ts'

/** Refuses options with which the service would fail later. */
export function checkOptions(options: ServiceOptions): void {
  const { interval = 1, expiresIn = 1, leeway = 0, authUrl, baseUrl, clients } = options
  if (!isPositive(interval)) throw new BadOptionError('interval must be a whole number of seconds, 1 or more')
  if (!isPositive(expiresIn))
    throw new BadOptionError('expiresIn must be a whole number of seconds, 1 or more')
  if (!(leeway >= 0 && leeway < (options.interval ?? DEFAULT_INTERVAL))) {
    throw new BadOptionError('leeway must be a number of seconds, 0 or more and less than the interval')
  }
  for (const [name, address] of Object.entries({ authUrl, baseUrl })) {
    const usable = address === undefined || (/^https?:/.test(address) && URL.canParse(address))
    if (!usable) throw new BadOptionError(`${name} must be an http(s) address`)
  }
  if (clients.some(({ clientId }) => Secret.of(clientId).reveal() === '')) {
    throw new BadOptionError('a client has an empty clientId')
  }
}

function isPositive(seconds: number): boolean {
  return Number.isInteger(seconds) && seconds >= 1
}
