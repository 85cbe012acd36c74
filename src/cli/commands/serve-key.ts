import type { Command } from 'commander'
import type { SigningKey } from '../../service/index.ts'
import { createPrivate, readIfThere } from '../files.ts'
import type { ServeOptions } from './serve-files.ts'

/** The key of `--jwt`, and where it is kept; it ends with the process if it is in memory. */
export interface ServeKey {
  readonly key: SigningKey
  readonly place: string
}

/**
 * Reads the key that signs tokens, or makes one for ES256. It is kept where the tokens are: in memory, or in a file beside the
 * database; if several processes make one at the same time, all use the one that was kept.
 */
export async function openKey({ jwt, store }: ServeOptions, self: Command): Promise<ServeKey | undefined> {
  if (jwt === undefined) return undefined
  const file = jwt === true ? fileBeside(store, self) : jwt
  if (file === undefined) return { key: await newKey(), place: 'memory' }
  if (readIfThere(file, ADVICE) === undefined) createPrivate(file, JSON.stringify(await newKey()), ADVICE)
  return { key: readIfThere(file, ADVICE) ?? '', place: file }
}

const ADVICE = 'name another file with --jwt'

function fileBeside(store: string, self: Command): string | undefined {
  if (store === 'memory') return undefined
  if (store.startsWith('sqlite:')) return `${store.slice('sqlite:'.length)}.key.json`
  return self.error('error: with this store, all instances need the same key: name its file with --jwt FILE')
}

async function newKey(): Promise<JsonWebKey & { readonly kty: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  const { privateKey } = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  return (await crypto.subtle.exportKey('jwk', privateKey)) as JsonWebKey & { readonly kty: string }
}
