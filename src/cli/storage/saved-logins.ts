import * as v from 'valibot'
import { tokenInUse } from '../../../machines/session-selectors.ts'
import { dpop } from '../../dpop/dpop.ts'
import { DamagedRecordError, StoreUnavailableError } from '../../errors.ts'
import type { OAuthToken } from '../../protocol/oauth-token.ts'
import type { Provider } from '../../protocol/provider.ts'
import { Secret } from '../../secret.ts'
import type { Session } from '../../session/create-session.ts'
import { describePlace, fileStore } from '../../session/node/file-store.ts'
import { holdSignals } from '../../session/node/hold-signals.ts'
import { assertPrivate } from '../../session/node/shared-files.ts'
import { createSeal, type RecordSeal } from '../../session/sealed.ts'
import { findValidToken } from '../../session/session-record.ts'
import type { SessionStore } from '../../session/session-store.ts'
import { memoryStore } from '../../store/memory-store.ts'
import { probeStore } from '../../store/probe.ts'
import type { Json } from '../../store/store.ts'
import { CommandError } from '../command-error.ts'
import { fileOf, makeFolder, removeFile } from '../files.ts'
import { environmentFetch } from '../network/environment-fetch.ts'
import { providerAt } from '../network/service-address.ts'
import { printError } from '../print-error.ts'
import { loginError, loginsFolder, type NamedProfile, type SavedProfile } from './profiles.ts'
import type { StoreName } from './store-names.ts'

/** The secret part of a login, encrypted with its token. */
const savedSecret = v.object({ secret: v.object({ clientId: v.string() }) })

/** A saved login that was read. */
export interface OpenedLogin {
  /** The record of its session. */
  readonly record: Json | undefined
  readonly clientId: Secret
}

type Fetch = typeof globalThis.fetch

interface SessionNeeds {
  readonly clientId: Secret
  readonly provider: Provider
  readonly fetch: Fetch
  /** Default: the store of the profile. */
  readonly store?: SessionStore
}

/**
 * Uses a token of a saved login that is valid now, refreshed first if necessary.
 *
 * @throws As `withSession` and `validToken` do.
 */
export async function withToken<Result>(
  profile: NamedProfile,
  use: (token: OAuthToken) => Promise<Result>,
): Promise<Result> {
  const fetch = await environmentFetch()
  const login = await openLogin(profile)
  const provider = await providerOf(profile, fetch)
  const token = storedToken()
  if (token) return use(token)
  return withSession(profile, fetch, async (session) => use(await validToken(session, profile)), login)

  function storedToken(): OAuthToken | undefined {
    try {
      return findValidToken(login.record, provider, Date.now())
    } catch (error) {
      throw loginError(profile.name, error)
    }
  }
}

/**
 * Opens the session of a saved login.
 *
 * @param opened The login, if it was decrypted before.
 * @throws {@link CommandError} if its record cannot be read.
 */
export async function openSavedSession(
  profile: NamedProfile,
  fetch: Fetch,
  opened?: OpenedLogin,
): Promise<Session> {
  const { clientId, record } = opened ?? (await openLogin(profile))
  const provider = await providerOf(profile, fetch)
  const store = withRecord(loginStore(profile.store), record)
  return sessionOf(profile.name, profile, { clientId, provider, fetch, store })
}

/** Creates the session of a profile. A signal does not end the process while it spends or stores a token. */
export async function sessionOf(
  name: string,
  { address, endpoints, scopes, store: place, since }: SavedProfile,
  { store = loginStore(place), clientId, ...options }: SessionNeeds,
): Promise<Session> {
  const { createSession } = await loadSessions()
  const profile = { address, ...(endpoints && { endpoints }), scopes, store: place, since }
  const data = { data: profile, secret: { clientId: clientId.reveal() } }
  const session = createSession({ ...options, dpop: dpop(), clientId, store, name, data })
  holdSignals(session)
  return session
}

/** A store whose first reader gets the record that the command has just read. */
function withRecord({ owners, update }: SessionStore, record: Json | undefined): SessionStore {
  let isFirst = true
  return {
    ...(owners && { owners }),
    async update(key, change) {
      const made = isFirst ? change(record) : undefined
      isFirst = false
      return made && made.value === undefined ? made.result : update(key, change)
    },
  }
}

/**
 * Returns a token that is valid now, refreshed first if necessary.
 *
 * @throws {@link CommandError} with code `no_login` if there is none; and the errors of `session.token`.
 */
export async function validToken(session: Session, { name }: NamedProfile): Promise<OAuthToken> {
  try {
    await session.token()
  } catch (error) {
    throw loginError(name, error)
  }
  const { token } = tokenInUse(session.actor.getSnapshot().context) ?? {}
  if (token === undefined) throw new CommandError('no_login', `the login of ${name} was just deleted`)
  return token
}

/** Uses the session of a saved login, then ends it. After an error too, a new token is stored first. */
export async function withSession<Result>(
  profile: NamedProfile,
  fetch: Fetch,
  use: (session: Session) => Promise<Result>,
  opened?: OpenedLogin,
): Promise<Result> {
  const session = await openSavedSession(profile, fetch, opened)
  try {
    return await use(session)
  } finally {
    const { isStoredInTime } = await loadSessions()
    if (!(await isStoredInTime(session)))
      printError(`the new token could not be stored: run authgraph login --profile ${profile.name}`)
    session.actor.stop()
  }
}

/** Loads what only a refresh and a login need: git asks for a token with every push and pull. */
function loadSessions() {
  return import('../../session/create-session.ts')
}

/**
 * Decrypts the record that was read with a profile.
 *
 * @throws {@link CommandError} with code `no_keyring`, or `damaged_file` if the record cannot be decrypted; StoreUnavailableError
 * if other users can open its folder.
 */
export async function openLogin(profile: NamedProfile): Promise<OpenedLogin> {
  await assertPrivate(loginsFolder())
  const record = await openRecord(profile)
  const saved = v.safeParse(savedSecret, record)
  if (!saved.success) throw loginError(profile.name, new DamagedRecordError('no client ID'))
  return { record, clientId: new Secret(saved.output.secret.clientId) }
}

async function openRecord({ name, store, record }: NamedProfile): Promise<Json | undefined> {
  const seal = sealOf(store)
  try {
    return seal ? await seal.open(name, record) : record
  } catch (error) {
    throw loginError(name, error)
  }
}

/** The provider of a saved login. It needs no request. */
export function providerOf(
  { address, endpoints }: NamedProfile,
  fetch: typeof globalThis.fetch,
): Promise<Provider> {
  return providerAt(endpoints ?? address, fetch)
}

/** Removes the record of a login if no session can read it: nothing could be written in its place. */
export async function removeUnreadable({ name, store }: Pick<NamedProfile, 'name' | 'store'>): Promise<void> {
  try {
    await loginStore(store).update(name, (value) => ({ result: value }))
  } catch (error) {
    if (!(error instanceof DamagedRecordError)) throw error
    removeLogin(name)
  }
}

/** Removes the record of a logout, unless there is a new login. */
export async function removeLogout({ name }: NamedProfile): Promise<void> {
  await loginStore('file').update(name, (value) =>
    Object(value).status === 'signedOut' ? { result: undefined, value: null } : { result: undefined },
  )
}

/** Removes the record of a login, whatever is in it. */
export function removeLogin(name: string): void {
  removeFile(fileOf(loginsFolder(), name))
}

/** Creates a store by its name. The keyring is read when a token is. */
export function loginStore(name: StoreName): SessionStore {
  if (name === 'none') return memoryStore()
  return fileStore(loginsFolder(), name === 'keyring' ? { seal: systemKey } : {})
}

/** What encrypts the tokens of a store. */
export function sealOf(name: StoreName): RecordSeal | undefined {
  return name === 'keyring' ? createSeal(systemKey) : undefined
}

/** Describes to users where a login is stored. */
export function placeOf(store: StoreName, profile: string): string {
  return describePlace(fileOf(loginsFolder(), profile), store !== 'keyring')
}

/**
 * Checks that a login can be stored, before the service issues a token.
 *
 * @throws {@link CommandError} with code `unusable_file` or `no_keyring`; {@link StoreUnavailableError}.
 */
export async function checkStore(name: StoreName): Promise<void> {
  if (name === 'none') return
  makeFolder(loginsFolder())
  await probeStore(loginStore(name), `probe of process ${process.pid}`)
}

async function systemKey(): Promise<Uint8Array> {
  try {
    const { keyringKey } = await import('../../session/node/keyring-key.ts')
    return await keyringKey('authgraph')()
  } catch (error) {
    throw error instanceof StoreUnavailableError ? new CommandError('no_keyring', error.message) : error
  }
}
