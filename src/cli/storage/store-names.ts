/** Where a token can be stored. `none` stores nothing. */
export const STORE_NAMES = ['keyring', 'file', 'none'] as const

/** Where a token can be stored. */
export type StoreName = (typeof STORE_NAMES)[number]
