/** What the store holds about a client that is not listed. */
export interface ClientRecord {
  /** Its ID, to ask the host about it: grants and tokens hold only the hash. */
  readonly clientId: string
  /** `until`: when it is removed. Epoch milliseconds. */
  readonly registered?: { readonly name: string; readonly secret?: string; readonly until: number }
  /** Until when it is not fetched again, and until when it is used if it cannot be. Epoch milliseconds. */
  readonly document?: { readonly name: string; readonly freshUntil: number; readonly staleUntil: number }
}
