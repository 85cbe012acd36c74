import type { User } from '../../machines/device-grant.ts'
import { isLoopback } from '../protocol/address.ts'
import type { ServiceOptions } from './options.ts'
import { newToken } from './random-codes.ts'

/** Who approves while there is no sign-in. */
const DEVELOPER: User = { id: 1, login: 'developer' }

/**
 * What stands in for options that a host has not given yet. Each warns when it is first used.
 *
 * @param authUrl Tells where people sign in. Tokens of the default are no cause for a warning on a loopback address.
 */
export function developmentDefaults(
  warn: (message: string) => void,
  authUrl: () => string,
): Required<Pick<ServiceOptions, 'identify' | 'issueToken'>> {
  const warned = new Set<string>()
  const warnOnce = (message: string) => {
    if (warned.has(message)) return
    warned.add(message)
    warn(message)
  }
  return {
    identify() {
      warnOnce(
        'authgraph: FOR DEVELOPMENT ONLY: everyone who opens the verification page approves as the user "developer". Give createService the option "identify".',
      )
      return { user: DEVELOPER }
    },
    issueToken() {
      if (!isLoopback(new URL(authUrl()).hostname))
        warnOnce(
          'authgraph: FOR DEVELOPMENT ONLY: tokens live for a year and are known to this service alone. Give createService the option "issueToken".',
        )
      return newToken()
    },
  }
}
