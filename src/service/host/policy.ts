import type { Origin, User } from '../../../machines/device-grant.ts'
import type { Secret } from '../../secret.ts'
import type { ServiceRequest } from '../http/types.ts'
import { isIdentifyingScope } from './describe-scope.ts'

/** An approval to assess: a user in a browser is about to let a device in. */
export interface Approval {
  /** Where the device requested its codes. */
  readonly device: Origin
  /** Where the user approves. */
  readonly browser: Origin
  /** The user who approves. */
  readonly user: User
  /** The client on the device. */
  readonly client: { readonly clientId: Secret; readonly name: string }
  /** The requested scopes. */
  readonly scopes: readonly string[]
  /** The URI of the API that the token is for, if the device named one. */
  readonly resource?: string
  /** The request that approves, for its cookies: they can tell how and when the user signed in. */
  readonly request: ServiceRequest
}

/**
 * The result of assessing an approval: it goes ahead; it is refused, and the device gets `access_denied`; or the page sends
 * the user to `stepUpAt` first, such as a sign-in with a second factor.
 */
export type Assessment = 'allow' | 'refuse' | { readonly stepUpAt: string }

/**
 * Rules that make a phished approval harder. They apply as soon as there is a policy, even an empty one.
 *
 * @see {@link https://datatracker.ietf.org/doc/draft-ietf-oauth-cross-device-security/ Cross-Device Flows: Security Best Current Practice}
 */
export interface Policy {
  /** Lifetime of the codes in seconds, if it is shorter than `expiresIn` of the service. Default: 300. */
  readonly codeLifetime?: number
  /**
   * Longest lifetime of an access token in seconds, whatever `issueToken` returns. Default: 28800, which is 8 hours. A token
   * that you sign ends at its own expiry, so use the same there.
   */
  readonly tokenLifetime?: number
  /**
   * Whether users must type the code: a link that contains it is not offered to the device, and the page does not accept
   * it. A function decides by the requested scopes. Default: for any scope except those that only say who the user is
   * (`openid`, `profile`, `email`, `offline_access`, `read:user` and `user:email`), so not for a request without scopes.
   */
  readonly typeCode?: boolean | ((scopes: readonly string[]) => boolean)
  /**
   * Who may decide on the page: only the `browser` session that opened the code first, or its `user` in any browser. Default:
   * `browser`. Without a policy, the `user`.
   */
  readonly claimedBy?: 'browser' | 'user'
  /**
   * Called before a user's approval on the page counts. It must return within ten seconds; if it fails, nothing is approved.
   * `service.approve` does not call it. Default: allows.
   *
   * @param returnTo The URL of the page, to come back to after `stepUpAt`: with the code, unless it must be typed.
   */
  readonly assess?: (approval: Approval, returnTo: string) => Assessment | Promise<Assessment>
}

/** A policy with its defaults. */
export type EffectivePolicy = Required<Omit<Policy, 'assess'>> & Pick<Policy, 'assess'>

const DEFAULTS: EffectivePolicy = {
  codeLifetime: 300,
  tokenLifetime: 8 * 60 * 60,
  typeCode: (scopes) => !scopes.every(isIdentifyingScope),
  claimedBy: 'browser',
}

/** Returns the policy for a client, whose own rules come before those of the service; `undefined` if there is none. */
export function effectivePolicy(
  ofService: Policy | undefined,
  ofClient: Policy | undefined,
): EffectivePolicy | undefined {
  return ofService || ofClient ? { ...DEFAULTS, ...ofService, ...ofClient } : undefined
}

/** Whether the user must type the code of a request with these scopes. */
export function mustType(policy: EffectivePolicy | undefined, scopes: readonly string[]): boolean {
  const { typeCode = false } = policy ?? {}
  return typeof typeCode === 'function' ? typeCode(scopes) : typeCode
}

/** Whether the user may have to type the code, for some scopes. */
export function mayMustType(policy: EffectivePolicy | undefined): boolean {
  return (policy?.typeCode ?? false) !== false
}
