/** Where a token may be kept. `none` keeps nothing. */
export const STORE_NAMES = ['keyring', 'file', 'none'] as const

/** Where a token may be kept. */
export type StoreName = (typeof STORE_NAMES)[number]
