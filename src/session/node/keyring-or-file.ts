import { StoreUnavailableError } from '../../errors.ts'
import { createSeal, type RecordSeal } from '../sealed.ts'
import type { SessionStore } from '../session-store.ts'
import { describePlace, fileIn, filesIn } from './file-store.ts'
import { keyringKey } from './keyring-key.ts'
import { folderOf } from './shared-files.ts'

export interface KeyringOrFile extends SessionStore {
  /** Why the last token that was written is in plain text; `undefined` if it is encrypted. */
  whyPlain(): string | undefined
  /** Describes to users where a login is. It must have been read or written before. */
  placeOf(key: string): string
}

/**
 * Stores sessions like `fileStore`, encrypted with the key of the app in the system keyring. Where there is no keyring,
 * as on a server, tokens are in plain text, until one is written where there is. A token that was encrypted is never
 * replaced by one in plain text: it must be decrypted first.
 */
export function keyringOrFile(name: string): KeyringOrFile {
  const folder = folderOf(name)
  const inKeyring = createSeal(keyringKey(name))
  let isPlain = false
  let whyPlain: string | undefined
  const seal: RecordSeal = {
    async open(key, value) {
      isPlain = Object.hasOwn(Object(value), 'token')
      return isPlain ? value : inKeyring.open(key, value)
    },
    async close(key, value) {
      try {
        whyPlain = undefined
        return await inKeyring.close(key, value)
      } catch (error) {
        if (!(error instanceof StoreUnavailableError)) throw error
        whyPlain = error.message
        return value
      } finally {
        isPlain = whyPlain !== undefined
      }
    },
  }
  return {
    ...filesIn(folder, seal),
    whyPlain: () => whyPlain,
    placeOf: (key) => describePlace(fileIn(folder, key), isPlain),
  }
}
