export const ENTRIES: readonly { readonly name: string; readonly source: string; readonly built: string }[]
export function aliasesTo(file: 'source' | 'built'): { find: RegExp; replacement: string }[]
