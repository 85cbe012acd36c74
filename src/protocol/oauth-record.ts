import * as v from 'valibot'
import { Secret } from '../secret.ts'
import { badFields } from './bad-fields.ts'
import { type ScopeSeparator, splitScopes } from './scopes.ts'

const record = v.object({
  access_token: v.pipe(v.string(), v.nonEmpty()),
  token_type: v.nullish(v.pipe(v.string(), v.nonEmpty()), 'bearer'),
  scope: v.nullish(v.string()),
})

/**
 * The OAuth record: what a poll brings once the user has authorized the device.
 *
 * @group Protocol
 * @see Spec 2.2
 */
export interface OAuthToken {
  readonly accessToken: Secret
  /** As the service wrote it; `bearer` where it wrote nothing. Compare without regard to case. */
  readonly tokenType: string
  /** The scopes granted; those asked for, where the service does not name them (RFC 6749, section 5.1). */
  readonly scopes: readonly string[]
}

/**
 * Reads the OAuth record.
 *
 * @throws BadAnswerError that names the fields at fault.
 * @see Spec 2.2
 */
export function parseOAuthRecord(
  json: unknown,
  asked: { readonly scopes: readonly string[]; readonly separator: ScopeSeparator },
): OAuthToken {
  const parsed = v.safeParse(record, json)
  if (!parsed.success) throw badFields('answer with the token', parsed.issues)
  const { access_token, token_type, scope } = parsed.output
  return {
    accessToken: new Secret(access_token),
    tokenType: token_type,
    scopes: typeof scope === 'string' ? splitScopes(scope, asked.separator) : asked.scopes,
  }
}
