/**
 * DPoP (RFC 9449): tokens that are bound to a key, so that a copy of a token alone is useless. Start with {@link dpop}.
 *
 * @module authgraph/dpop
 */

export { BadOptionError } from '../errors.ts'
export type { Dpop, ProofResponse, ProvenRequest } from '../protocol/dpop.ts'
export { type DpopOptions, dpop } from './dpop.ts'
