/** Gives the RS256 signature of the bytes of a token's header and claims. */
export type SignBytes = (signingInput: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>
