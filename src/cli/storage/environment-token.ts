import { isToken } from '../../protocol/syntax.ts'
import { Secret } from '../../secret.ts'
import { CommandError } from '../command-error.ts'
import { hostIn, isSameService } from '../network/service-address.ts'
import { currentProfile } from './saved-profiles.ts'

/** A token from an environment variable, for programs and CI. */
export interface EnvironmentToken {
  /** The variable. */
  readonly source: 'AUTHGRAPH_TOKEN' | 'GH_TOKEN'
  /** The only host that the token may be sent to. */
  readonly address: { readonly host: string }
  readonly token: Secret
}

const GITHUB = { host: 'github.com' }

/**
 * Reads the token that takes precedence over stored logins: `AUTHGRAPH_TOKEN`, for `AUTHGRAPH_HOST` or github.com; or
 * `GH_TOKEN`, for github.com only. A shell may have `GH_TOKEN` for other programs, so it replaces no login to another
 * host.
 *
 * @param host The host that the command names. Default: that of the variable.
 * @throws {@link CommandError} with code `usage` if a variable is malformed.
 */
export function environmentToken(host?: string): EnvironmentToken | undefined {
  const { AUTHGRAPH_TOKEN, AUTHGRAPH_HOST, GH_TOKEN } = process.env
  const fits = (address: { readonly host: string }) => host === undefined || isSameService(address, { host })
  if (AUTHGRAPH_TOKEN) {
    const address = AUTHGRAPH_HOST ? { host: readHost(AUTHGRAPH_HOST) } : GITHUB
    if (fits(address))
      return { source: 'AUTHGRAPH_TOKEN', address, token: read('AUTHGRAPH_TOKEN', AUTHGRAPH_TOKEN) }
  }
  if (!GH_TOKEN || !fits(GITHUB)) return undefined
  const current = host === undefined ? currentProfile() : undefined
  if (current && !(current instanceof Error) && !isSameService(current.address, GITHUB)) return undefined
  return { source: 'GH_TOKEN', address: GITHUB, token: read('GH_TOKEN', GH_TOKEN) }
}

function readHost(text: string): string {
  const host = hostIn(text)
  if (host !== undefined) return host
  throw new CommandError('usage', 'AUTHGRAPH_HOST is not a host, such as git.example.com')
}

function read(name: string, text: string): Secret {
  if (isToken(text)) return new Secret(text)
  throw new CommandError('usage', `${name} contains characters that a token cannot have`)
}
