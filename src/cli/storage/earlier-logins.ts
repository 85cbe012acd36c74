import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import * as v from 'valibot'
import { importToken } from '../../client/token-record.ts'
import { Secret } from '../../secret.ts'
import { signedIn } from '../../session/session-record.ts'
import type { Json } from '../../store/store.ts'
import { readHost } from '../commands/values.ts'
import { authOrigin, providerAt, type ServiceAddress, serviceAddress } from '../network/service-address.ts'
import { configFolder, fileOf, stateFolder } from './folders.ts'
import { loginStore } from './login-stores.ts'
import { namesIn, readIfThere, removeFile } from './private-file.ts'
import { withProfile } from './saved-logins.ts'

const profileFile = v.object({
  address: serviceAddress,
  scopes: v.array(v.string()),
  store: v.picklist(['keyring', 'file']),
  since: v.number(),
})

const tokenFile = v.object({
  clientId: v.string(),
  token: v.looseObject({ expiresAt: v.exactOptional(v.number()) }),
})

const folderOfProfiles = () => join(configFolder(), 'profiles')
const folderOfTokens = () => join(stateFolder(), 'tokens')

/** Milliseconds. A keyring may ask the user to unlock it. */
const KEYRING_PATIENCE = 10_000

/**
 * Moves the logins of earlier versions into records of sessions. One that cannot be read stays as it is, and so does one
 * whose endpoints only the issuer knows: no command should have to wait for that.
 */
export async function moveEarlierLogins(): Promise<void> {
  for (const name of namesIn(folderOfProfiles())) await move(name).catch(() => undefined)
}

async function move(name: string): Promise<void> {
  const path = fileOf(folderOfProfiles(), name)
  const profile = { name, ...v.parse(v.pipe(v.string(), v.parseJson(), profileFile), readIfThere(path)) }
  const { address } = profile
  if ('issuer' in address) return
  const earlier = profile.store === 'file' ? inFile(name) : await inKeyring(name, address)
  const { clientId, token } = v.parse(v.pipe(v.string(), v.parseJson(), tokenFile), await earlier.read())
  const { expiresAt } = token
  const now = Date.now()
  const expiresIn = expiresAt !== undefined && { expiresIn: Math.max(0, expiresAt - now) / 1000 }
  const kept = importToken({ ...token, v: 1, ...expiresIn })
  const provider = await providerAt(address, fetch)
  const record = signedIn({ login: crypto.randomUUID(), generation: 0, token: kept, sentAt: now }, provider)
  await withProfile(loginStore(profile.store), profile, new Secret(clientId)).update(name, (value) =>
    value === undefined ? { result: undefined, value: record as NonNullable<Json> } : { result: undefined },
  )
  removeFile(path)
  await earlier.remove()
}

function inFile(name: string) {
  const path = fileOf(folderOfTokens(), name)
  return { read: async () => readIfThere(path), remove: async () => removeFile(path) }
}

/**
 * A profile says where to send a token, and somebody else may have written it: it finds only a token that has the name of
 * its host, and none from another folder.
 */
async function inKeyring(name: string, address: ServiceAddress) {
  const { AUTHGRAPH_CONFIG_DIR, XDG_CONFIG_HOME } = process.env
  const isOwn =
    'host' in address && readHost(address.host) === address.host && authOrigin(address).host === name
  if (AUTHGRAPH_CONFIG_DIR || XDG_CONFIG_HOME || !isOwn) throw new Error('not surely a profile of this user')
  const { AsyncEntry } = await import('@napi-rs/keyring')
  const entry = new AsyncEntry('authgraph', name, { linux: { store: 'secret-service' } })
  return {
    read: () => Promise.race([entry.getPassword(), setTimeout(KEYRING_PATIENCE, null, { ref: false })]),
    remove: () => entry.deleteCredential(),
  }
}
