import type { StoreName, TokenStore } from './kept-login.ts'
import { fileStore } from './token-stores/file.ts'
import { noStore } from './token-stores/none.ts'

/** Creates a store by its name. The keyring library is loaded on demand. */
export async function tokenStore(name: StoreName): Promise<TokenStore> {
  switch (name) {
    case 'keyring':
      return (await import('./token-stores/keyring.ts')).keyringStore()
    case 'file':
      return fileStore()
    case 'none':
      return noStore
  }
}
