import { readFile, rename, writeFile } from 'node:fs/promises'
import { exportToken, importToken, type OAuthToken, type RefreshOptions, refresh } from 'authgraph'

/** Milliseconds before its expiry at which a token is refreshed, so that it is still valid when the API reads it. */
const EARLY = 60_000

/** Writes the token to a file that only its owner can read. Replaces the old file only when the new one is complete. */
export async function keepToken(file: string, token: OAuthToken): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify(exportToken(token)), { mode: 0o600 })
  await rename(`${file}.new`, file)
}

/** Reads the token, and refreshes it if it expires within a minute. */
export async function keptToken(file: string, options: RefreshOptions): Promise<OAuthToken> {
  const token = importToken(JSON.parse(await readFile(file, 'utf8')))
  const { expiresAt = Number.POSITIVE_INFINITY } = token
  if (Date.now() < expiresAt - EARLY) return token
  return refresh(token, { ...options, onToken: (pair) => keepToken(file, pair) })
}
