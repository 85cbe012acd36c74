import {
  exportToken,
  importToken,
  type RefreshOptions,
  refresh,
  type TokenRecord,
} from 'authgraph'

/**
 * Refreshes a saved token. Saves the new one before anything uses it: the old
 * refresh token is no longer valid.
 */
export async function refreshOnce(
  saved: TokenRecord,
  save: (record: TokenRecord) => Promise<void>,
  options: RefreshOptions,
): Promise<TokenRecord> {
  const token = await refresh(importToken(saved), {
    ...options,
    onToken: (token) => save(exportToken(token)),
  })
  return exportToken(token)
}
