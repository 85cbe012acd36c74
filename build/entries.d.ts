export const ENTRIES: readonly { readonly name: string; readonly source: string; readonly built: string }[]
