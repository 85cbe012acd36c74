import type { TokenStore } from '../kept-login.ts'

/** Stores nothing, for users who store the token themselves. */
export const noStore: TokenStore = {
  name: 'none',
  place: () => 'nowhere',
  check: async () => undefined,
  read: async () => undefined,
  write: async () => undefined,
  erase: async () => false,
}
