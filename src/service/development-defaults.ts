import type { User } from '../../machines/device-grant.ts'
import { isLoopback } from '../protocol/syntax.ts'
import { newToken } from './credentials/random-codes.ts'
import type { ServiceOptions } from './options.ts'

/** The user of a service without a sign-in. */
export const DEVELOPER: User = { id: 1, login: 'developer' }

/** A proxy on the same machine connects from here. */
const LOCAL = /^(?:unix:|::1|(?:::ffff:)?127\..*)$/

/**
 * Stands in for options that the host has not set yet. Each default warns once, on its first use in production.
 *
 * @param authUrl Returns the URL of the login. On a loopback address, only the missing sign-in causes a warning.
 */
export function developmentDefaults(
  warn: (message: string) => void,
  authUrl: () => string,
): Required<Pick<ServiceOptions, 'identify' | 'issueToken' | 'clientAddress'>> {
  const warned = new Set<string>()
  const warnOnce = (message: string) => {
    if (warned.has(message)) return
    warned.add(message)
    warn(message)
  }
  const isPublic = () => !isLoopback(new URL(authUrl()).hostname)
  return {
    identify() {
      warnOnce(
        'authgraph: FOR DEVELOPMENT ONLY: anyone who opens the verification page approves as the user "developer". Set the option "identify" of createService.',
      )
      return { user: DEVELOPER }
    },
    issueToken() {
      if (isPublic())
        warnOnce(
          'authgraph: FOR DEVELOPMENT ONLY: tokens are valid for a year, and only this service knows them. Set the option "issueToken" of createService.',
        )
      return newToken()
    },
    clientAddress({ address, header }) {
      if (
        address !== undefined &&
        LOCAL.test(address) &&
        header('x-forwarded-for') !== undefined &&
        isPublic()
      )
        warnOnce(
          'authgraph: requests come through a proxy, so all clients have the same address and share its limits. Set the option "clientAddress" of createService, for example to behindProxies(["127.0.0.1"]) or, on a Unix socket, behindProxies(["unix:"]), or start authgraph serve with --trust-proxy 127.0.0.1.',
        )
      if (address === undefined && isPublic())
        warnOnce(
          'authgraph: requests are not limited by address, because "fetch" receives no client address. Set the option "clientAddress" of createService.',
        )
      return address
    },
  }
}
