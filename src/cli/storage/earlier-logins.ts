import { join } from 'node:path'
import * as v from 'valibot'
import { importToken } from '../../client/token-record.ts'
import { Secret } from '../../secret.ts'
import { signedIn } from '../../session/session-record.ts'
import type { Json } from '../../store/store.ts'
import { environmentFetch } from '../network/environment-fetch.ts'
import { providerAt, serviceAddress } from '../network/service-address.ts'
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

/** Moves the logins of earlier versions into records of sessions. One that cannot be read stays as it is. */
export async function moveEarlierLogins(): Promise<void> {
  for (const name of namesIn(folderOfProfiles())) await move(name).catch(() => undefined)
}

async function move(name: string): Promise<void> {
  const path = fileOf(folderOfProfiles(), name)
  const profile = { name, ...v.parse(v.pipe(v.string(), v.parseJson(), profileFile), readIfThere(path)) }
  const earlier = profile.store === 'file' ? inFile(name) : await inKeyring(name)
  const { clientId, token } = v.parse(v.pipe(v.string(), v.parseJson(), tokenFile), await earlier.read())
  const { expiresAt } = token
  const now = Date.now()
  const expiresIn = expiresAt !== undefined && { expiresIn: Math.max(0, expiresAt - now) / 1000 }
  const kept = importToken({ ...token, v: 1, ...expiresIn })
  const provider = await providerAt(profile.address, await environmentFetch())
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

/** A profile of another folder says where to send a token, so it must not find one in the keyring of this user. */
async function inKeyring(name: string) {
  if (process.env.AUTHGRAPH_CONFIG_DIR) throw new Error('not the profiles of this user')
  const { AsyncEntry } = await import('@napi-rs/keyring')
  const entry = new AsyncEntry('authgraph', name, { linux: { store: 'secret-service' } })
  return { read: () => entry.getPassword(), remove: () => entry.deleteCredential() }
}
