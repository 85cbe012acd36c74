/**
 * Stores and signals for sessions on Node. Start with {@link fileStore}.
 *
 * @module authgraph/session/node
 */

export { BadOptionError, DamagedRecordError, StoreUnavailableError } from '../../errors.ts'
export { type FileStoreOptions, fileStore } from './file-store.ts'
export { holdSignals } from './hold-signals.ts'
export { keyringKey } from './keyring-key.ts'
