import { tokenInUse } from '../../../machines/session-selectors.ts'
import { dpop } from '../../dpop/dpop.ts'
import type { OAuthToken } from '../../protocol/oauth-token.ts'
import type { Provider } from '../../protocol/provider.ts'
import type { Secret } from '../../secret.ts'
import { createSession, isStoredInTime, type Session } from '../../session/create-session.ts'
import { holdSignals } from '../../session/node/hold-signals.ts'
import type { SessionStore } from '../../session/session-store.ts'
import type { Json } from '../../store/store.ts'
import { writerTo } from '../../terminal/writer.ts'
import { CommandError } from '../command-error.ts'
import { loginStore, type OpenedLogin, openLogin, providerOf } from './saved-logins.ts'
import { loginError, type NamedProfile, type SavedProfile } from './saved-profiles.ts'

type Fetch = typeof globalThis.fetch

interface SessionNeeds {
  readonly clientId: Secret
  readonly provider: Provider
  readonly fetch: Fetch
  /** Default: the store of the profile. */
  readonly store?: SessionStore
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
export function sessionOf(
  name: string,
  { address, endpoints, scopes, store: place, since }: SavedProfile,
  { store = loginStore(place), clientId, ...options }: SessionNeeds,
): Session {
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
    if (!(await isStoredInTime(session)))
      writerTo(process.stderr, { color: true }).print(
        'authgraph: the token was refreshed, but the new one could not be stored. Log in again: authgraph login',
      )
    session.actor.stop()
  }
}
