/**
 * Runs SQL and resolves to the rows that it returns. Placeholders are `$1`, `$2` and so on, each used once and in order.
 * Without `values`, the text may hold several statements, which must run in one transaction.
 */
export type Query = (
  text: string,
  values: readonly (string | number)[],
) => Promise<readonly { readonly [column: string]: unknown }[]>
