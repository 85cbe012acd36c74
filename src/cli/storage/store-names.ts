/** Where a token can be stored. `keyring` encrypts its file with a key in the system keyring; `none` stores nothing. */
export const STORE_NAMES = ['keyring', 'file', 'none'] as const

/** Where a token can be stored. */
export type StoreName = (typeof STORE_NAMES)[number]
