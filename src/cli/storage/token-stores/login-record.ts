import * as v from 'valibot'
import { isToken } from '../../../protocol/token-syntax.ts'
import { Secret } from '../../../secret.ts'
import type { KeptLogin } from '../kept-login.ts'
import { parseSaved } from '../parse-saved.ts'

const toSecret = v.transform((value: string) => new Secret(value))

const tokenText = v.pipe(v.custom<string>(isToken), toSecret)

const record = v.object({
  /** The version of this format. */
  v: v.literal(1),
  clientId: v.pipe(v.string(), v.nonEmpty(), toSecret),
  token: v.object({
    accessToken: tokenText,
    tokenType: v.string(),
    scopes: v.array(v.string()),
    missingScopes: v.array(v.string()),
    /** Epoch milliseconds. */
    expiresAt: v.exactOptional(v.number()),
    refreshToken: v.exactOptional(tokenText),
    /** Epoch milliseconds. */
    refreshTokenExpiresAt: v.exactOptional(v.number()),
  }),
})

/** Serializes a login, with its secrets in plain text. */
export function writeLogin({ clientId, token }: KeptLogin): string {
  const { accessToken, refreshToken, expiresIn, refreshTokenExpiresIn, ...plain } = token
  return JSON.stringify({
    v: 1,
    clientId: clientId.reveal(),
    token: {
      ...plain,
      accessToken: accessToken.reveal(),
      ...(refreshToken && { refreshToken: refreshToken.reveal() }),
    },
  })
}

/** Parses the output of `writeLogin`. Throws {@link CommandError} with code `damaged_file`, which quotes nothing. */
export function readLogin(text: string, profile: string): KeptLogin {
  const { clientId, token } = parseSaved(record, text, {
    what: 'the saved login',
    profile,
    remove: 'authgraph logout',
  })
  return { clientId, token }
}
