import type { SealedText } from '../store/encryption.ts'
import { COUNT_PREFIX, GRANT_PREFIX, USER_CODE_PREFIX } from '../store/keys.ts'
import type { Store } from '../store/store.ts'
import type { ClientRecord } from './credentials/client-record.ts'
import type { Grant } from './grants/grant-steps.ts'
import type { Count } from './limits/limiter.ts'
import { recordsOf } from './stores/records.ts'
import type { Family } from './tokens/families.ts'
import type { Generation } from './tokens/generation.ts'
import type { Entries } from './tokens/newest.ts'
import type { AccessTokenRecord } from './tokens/tokens.ts'

export function createRecords(store: Store) {
  return {
    /** Those that are not listed, by the hash of the client ID. */
    clients: recordsOf<ClientRecord>(store, 'client:'),
    /** By the hash of the device code. */
    grants: recordsOf<Grant>(store, GRANT_PREFIX),
    /** The keys of grants, by user code. */
    userCodes: recordsOf<string>(store, USER_CODE_PREFIX),
    /** By the ID that each refresh token contains. */
    families: recordsOf<Family>(store, 'family:'),
    /** The pairs that spent refresh tokens still get, by the hash of the refresh token in the pair. */
    successors: recordsOf<SealedText>(store, 'successor:'),
    /** By the hash of the access token. */
    tokens: recordsOf<AccessTokenRecord>(store, 'token:'),
    /** The hashes of access tokens, by family. */
    tokensOfFamily: recordsOf<Entries>(store, 'access:'),
    /** The IDs of families, and the hashes of tokens without one, by user. */
    logins: recordsOf<Entries>(store, 'logins:'),
    revocations: recordsOf<number>(store, 'revocations:'),
    /** Proofs that were used, by a hash of the thumbprint of the key and the `jti`. */
    proofs: recordsOf<true>(store, 'proof:'),
    /** By limit, and what it limits. */
    counts: recordsOf<Count>(store, COUNT_PREFIX),
    /** By the hash of the signer and the `jti`. */
    usedAssertions: recordsOf<true>(store, 'assertion:'),
    /** A single record, without an ID. */
    generation: recordsOf<Generation>(store, 'generation'),
    /** A single record, without an ID. */
    formSecret: recordsOf<string>(store, 'form-secret'),
  }
}
