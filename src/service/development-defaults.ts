import type { User } from '../../machines/device-grant.ts'
import { isLoopback } from '../protocol/address.ts'
import { newToken } from './credentials/random-codes.ts'
import type { ServiceOptions } from './options.ts'

/** Who approves while there is no sign-in. */
const DEVELOPER: User = { id: 1, login: 'developer' }

/** Where a proxy on the same machine connects from. */
const LOOPBACK = /^(?:::1|(?:::ffff:)?127\..*)$/

/**
 * What stands in for options that a host has not given yet. Each warns when it is first used where it should not be.
 *
 * @param authUrl Tells where people sign in. On a loopback address only the missing sign-in is a cause for a warning.
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
        'authgraph: FOR DEVELOPMENT ONLY: everyone who opens the verification page approves as the user "developer". Give createService the option "identify".',
      )
      return { user: DEVELOPER }
    },
    issueToken() {
      if (isPublic())
        warnOnce(
          'authgraph: FOR DEVELOPMENT ONLY: tokens live for a year and are known to this service alone. Give createService the option "issueToken".',
        )
      return newToken()
    },
    clientAddress({ address, header }) {
      if (
        address !== undefined &&
        LOOPBACK.test(address) &&
        header('x-forwarded-for') !== undefined &&
        isPublic()
      )
        warnOnce(
          'authgraph: requests come through a proxy, so that all clients have the same address, and share its limits. Give createService the option "clientAddress", such as behindProxies(["127.0.0.1"]), or start authgraph serve with --trust-proxy 127.0.0.1.',
        )
      if (address === undefined && isPublic())
        warnOnce(
          'authgraph: requests are not limited by address, since "fetch" is not told any. Give createService the option "clientAddress".',
        )
      return address
    },
  }
}
