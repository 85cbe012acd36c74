import { assertKnown, type Names } from '../assert-known.ts'
import { BadOptionError, BadResponseError } from '../errors.ts'
import { github } from '../protocol/providers.ts'
import { pause, systemClock, within } from '../request/clock.ts'
import { memberOf } from '../request/http.ts'
import { nameResponse } from '../request/name-request.ts'
import type { Clock, RequestOptions } from '../request/options.ts'
import { hexSha256 } from '../request/sha256.ts'
import type { Secret } from '../secret.ts'
import type { Store } from '../store/store.ts'
import { ApiError } from './api-error.ts'
import type { AppAuth } from './app.ts'
import type { ApiTarget, Auth } from './auth.ts'
import { bearer } from './bearer.ts'
import { boundedStore } from './bounded-store.ts'
import { type Api, createApi } from './create-api.ts'
import { type InstallationToken, isNearExpiry, readInstallationToken } from './installation-token.ts'
import { mintOnce, unshare } from './mint-once.ts'
import { personalToken } from './personal-token.ts'
import { isRateLimited } from './rate-limit.ts'
import { type ApiOptions, addressAt, targetOf } from './with-auth.ts'

/**
 * Milliseconds after minting in which a refusal may only mean that the token has not reached all servers yet, and
 * milliseconds between two tries.
 */
const REPLICATION = 5_000
const REPLICATION_PAUSE = 1_000

/** Which installation, and what its token may do. */
export type InstallationOptions = {
  /** The app, as `app()` returns it. Installations of the same object share their tokens. */
  readonly app: AppAuth
  /**
   * The permissions of the token, such as `{ contents: 'read' }`. Default: all that the installation has.
   *
   * @see {@link https://docs.github.com/en/rest/apps/apps#create-an-installation-access-token-for-an-app GitHub: create
   * an installation access token}
   */
  readonly permissions?: Readonly<Record<string, 'read' | 'write' | 'admin'>>
  /** The names of the repositories that the token may access, without their owner. Default: all. */
  readonly repositories?: readonly string[]
  /** The IDs of the repositories that the token may access. Default: all. */
  readonly repositoryIds?: readonly number[]
  /**
   * Shares the token with all processes that use the same store: one of them mints it. Default: none. Wrap the store in
   * `sealed()` from `authgraph/session` to encrypt the tokens in it.
   */
  readonly store?: Store
} & Pick<RequestOptions, 'clock'> &
  (
    | {
        /** The ID of the installation. */
        readonly installationId: number | string
        readonly owner?: never
        readonly repository?: never
      }
    | {
        /** The user or organization that installed the app. */
        readonly owner: string
        readonly installationId?: never
        readonly repository?: never
      }
    | {
        /** A repository that the app is installed on: `owner/name`. The token is not limited to it. */
        readonly repository: string
        readonly installationId?: never
        readonly owner?: never
      }
  )

const KNOWN: Names<InstallationOptions> = {
  app: true,
  permissions: true,
  repositories: true,
  repositoryIds: true,
  store: true,
  clock: true,
  installationId: true,
  owner: true,
  repository: true,
}

/** Authenticates as an installation of a GitHub App. */
export interface Installation extends Auth {
  /**
   * Resolves to a valid token, such as for `git`. `createApi` and `withAuth` do this for you.
   *
   * @throws As a request does.
   */
  token(options?: ApiOptions): Promise<Secret>
  /**
   * Revokes the tokens that this process holds, and removes them from the store: other processes that share them get new
   * ones. Without it, a token is valid for an hour. A later request mints a new token.
   */
  close(): Promise<void>
}

/**
 * Authenticates as an installation of a GitHub App. It mints a token when the first request needs one, shares it with
 * all later requests, and replaces it when it is about to expire: 5 minutes before, or after half of a shorter lifetime.
 *
 * Tokens are kept by host, app, installation, permissions and repositories. They are minted at the API that the request
 * goes to, and sent nowhere else.
 *
 * If an `owner` or a `repository` is given, the installation is looked up, and looked up again if its ID has changed
 * because the app was installed again. GitHub may refuse a new token with status 401 for a moment: such requests are repeated for a few
 * seconds.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs'
 * import { app, createApi, installation } from 'authgraph/auth'
 *
 * const octoApp = app({
 *   appId: 123456,
 *   privateKey: readFileSync('app.pem', 'utf8'),
 * })
 * const auth = installation({
 *   app: octoApp,
 *   owner: 'octo-org',
 *   permissions: { contents: 'read' },
 * })
 * const repositories = await createApi({ auth })('/installation/repositories')
 * ```
 *
 * @throws {@link BadOptionError} if an option is missing or invalid.
 * @throws {@link ApiError} from a request, if the installation is unknown or suspended or lacks the permissions.
 * @throws {@link TimedOutError} when a request has waited 30 seconds for a token.
 * @throws {@link BadResponseError}, {@link StoreUnavailableError} and the errors of `app()` from a request.
 * @see {@link
 * https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/authenticating-as-a-github-app-installation
 * GitHub: authenticating as a GitHub App installation}
 */
export function installation(options: InstallationOptions): Installation {
  return new InstallationCredentials(options)
}

/** The token of one installation at one host, and the request for the next one. */
interface HeldToken {
  token?: InstallationToken | undefined
  minting?: Promise<InstallationToken> | undefined
}

/** By app, and by everything else that a token depends on. */
const tokensOf = new WeakMap<AppAuth, Map<string, HeldToken>>()

class InstallationCredentials implements Installation {
  readonly form = 'installation'
  readonly #app: AppAuth
  readonly #wanted: Wanted
  readonly #store: Store | undefined
  readonly #clock: Clock
  readonly #tokens: Map<string, HeldToken>
  /** The APIs that were called, by their key. */
  readonly #targets = new Map<string, ApiTarget>()
  /** The IDs that were looked up, by base URL. */
  readonly #ids = new Map<string, number>()

  constructor(options: InstallationOptions) {
    assertKnown(options, KNOWN)
    const { app, store, clock = systemClock } = options ?? {}
    if (app?.appId === undefined || typeof app.authorization !== 'function')
      throw new BadOptionError('app must be what app({ … }) returns')
    this.#app = app
    this.#wanted = wantedBy(options)
    this.#store = store && boundedStore(store)
    this.#clock = clock
    this.#tokens = tokensOf.get(app) ?? new Map()
    tokensOf.set(app, this.#tokens)
  }

  async authorization(target: ApiTarget): Promise<Secret> {
    return bearer((await this.#current(target)).token)
  }

  async token(options?: ApiOptions): Promise<Secret> {
    return (await this.#current(targetOf(options))).token
  }

  async learn(response: Response, sent: Secret | undefined): Promise<boolean> {
    // 403 means that a permission is missing, or that a rate limit is exceeded.
    if (response.status !== 401) return false
    for (const key of this.#targets.keys()) {
      const token = this.#tokens.get(key)?.token
      if (token === undefined || sent?.reveal() !== bearer(token.token).reveal()) continue
      if (this.#clock.now() < token.mintedAt + REPLICATION) {
        await pause(this.#clock, REPLICATION_PAUSE)
        return true
      }
      await this.#forget(key, token)
    }
    // It was revoked, now or when another request learned it: the next one may be accepted.
    return true
  }

  async close(): Promise<void> {
    const failures: unknown[] = []
    for (const [key, target] of this.#targets) {
      const held = this.#tokens.get(key)
      await held?.minting?.catch(() => undefined)
      if (held?.token === undefined) continue
      const { token } = held
      try {
        await revoke(token.token, target)
        await this.#forget(key, token)
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }

  async #current(target: ApiTarget): Promise<InstallationToken> {
    const key = this.#keyAt(target)
    const held = this.#tokens.get(key) ?? {}
    const { token } = held
    if (token && !isNearExpiry(token, this.#clock.now())) return token
    this.#dropExpired()
    this.#tokens.set(key, held)
    this.#targets.set(key, target)
    held.minting ??= this.#next(key, target)
      .then((next) => {
        held.token = next
        return next
      })
      .finally(() => {
        held.minting = undefined
      })
    try {
      return await held.minting
    } catch (error) {
      if (token && this.#clock.now() < token.expiresAt && !isFinal(error)) return token
      throw error
    }
  }

  async #next(key: string, target: ApiTarget): Promise<InstallationToken> {
    // In real time, as the timeout of a fetch: neither a signer nor a connection knows the clock of the caller.
    const mint = () => within({ clock: systemClock }, (signal) => this.#mint(target, signal))
    if (this.#store === undefined) return mint()
    return mintOnce({ store: this.#store, key: await nameOf(key) }, this.#clock, mint)
  }

  async #mint({ baseUrl, fetch }: ApiTarget, signal: AbortSignal): Promise<InstallationToken> {
    // The call that needs the token waits for rate limits, if at all.
    const api = createApi({ auth: this.#app, provider: github({ baseUrl }), fetch, maxWait: 0 })
    const { path, body } = this.#wanted
    const mintAt = async (id: number) => {
      const mintedAt = this.#clock.now()
      const address = `/app/installations/${id}/access_tokens`
      const response = await api.raw(address, { method: 'POST', body, signal })
      const request = { method: 'POST', address: addressAt(baseUrl, address).href }
      return readInstallationToken(
        response,
        mintedAt,
        nameResponse('installation token response', { request }),
      )
    }
    if (path.id !== undefined)
      return mintAt(path.id).catch(withHint('the app has no installation with this id'))
    const known = this.#ids.get(baseUrl)
    if (known !== undefined)
      try {
        return await mintAt(known)
      } catch (error) {
        // With status 404, the app was installed again, under another ID.
        if (!(error instanceof ApiError) || error.status !== 404) throw error
      }
    const id = await findInstallation(api, path.lookUp, signal)
    this.#ids.set(baseUrl, id)
    return mintAt(id)
  }

  async #forget(key: string, token: InstallationToken): Promise<void> {
    const held = this.#tokens.get(key)
    if (held?.token === token) held.token = undefined
    if (this.#store) await unshare({ store: this.#store, key: await nameOf(key) }, token.token)
  }

  #dropExpired(): void {
    const now = this.#clock.now()
    for (const [key, { token, minting }] of this.#tokens)
      if (minting === undefined && !(token && now < token.expiresAt)) this.#tokens.delete(key)
  }

  #keyAt({ baseUrl }: ApiTarget): string {
    return JSON.stringify([baseUrl, this.#app.appId, this.#wanted])
  }
}

/** What a token depends on, apart from its app and host. No two requests for different tokens are written alike. */
interface Wanted {
  readonly path:
    | { readonly id: number; readonly lookUp?: never }
    | { readonly id?: never; readonly lookUp: string }
  readonly body: Record<string, unknown>
}

function wantedBy({ permissions, repositories, repositoryIds, ...target }: InstallationOptions): Wanted {
  assertList('repositories', repositories, (name) => typeof name === 'string')
  assertList('repositoryIds', repositoryIds, Number.isSafeInteger)
  return {
    path: pathOf(target),
    body: {
      ...(permissions && { permissions: Object.fromEntries(Object.entries(permissions).sort()) }),
      ...(repositories && { repositories: [...repositories].sort() }),
      ...(repositoryIds && { repository_ids: [...repositoryIds].sort((a, b) => a - b) }),
    },
  }
}

/** An empty list must not become a token for everything. */
function assertList(name: string, list: readonly unknown[] | undefined, isOne: (item: unknown) => boolean) {
  if (list === undefined || (Array.isArray(list) && list.length > 0 && list.every(isOne))) return
  throw new BadOptionError(`${name} must be a non-empty list; leave it out for all repositories`)
}

function pathOf(
  target: Pick<InstallationOptions, 'installationId' | 'owner' | 'repository'>,
): Wanted['path'] {
  const { installationId, owner, repository } = target
  if ([installationId, owner, repository].filter((given) => given !== undefined).length !== 1)
    throw new BadOptionError('pass one of "installationId", "owner" and "repository"')
  if (owner !== undefined) {
    if (!isName(owner)) throw new BadOptionError('owner must be the name of a user or an organization')
    // Despite its name, it finds organizations too.
    return { lookUp: `/users/${owner}/installation` }
  }
  if (repository !== undefined) {
    const names = String(repository).split('/')
    if (names.length !== 2 || !names.every(isName))
      throw new BadOptionError('repository must be "owner/name"')
    return { lookUp: `/repos/${repository}/installation` }
  }
  const id = Number(installationId)
  if (!Number.isSafeInteger(id) || id <= 0)
    throw new BadOptionError('installationId must be a positive integer')
  return { id }
}

/** Whether a text is one segment of a path. */
function isName(text: unknown): boolean {
  return typeof text === 'string' && /^[\w.-]+$/.test(text) && !/^\.+$/.test(text)
}

function withHint(hint: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ApiError) || error.status !== 404) throw error
    const { status, headers, body } = error
    throw new ApiError({ status }, { headers, body }, `${error.message}; ${hint}`)
  }
}

async function findInstallation(api: Api, path: string, signal: AbortSignal): Promise<number> {
  const found = await api(path, { signal }).catch(withHint('the app is not installed there'))
  const id = memberOf(found, 'id')
  if (Number.isSafeInteger(id)) return id as number
  throw new BadResponseError('the installation has no valid "id"')
}

/** Revokes a token with itself. One that is not valid any more is as good as revoked. */
async function revoke(token: Secret, { baseUrl, fetch }: ApiTarget): Promise<void> {
  const api = createApi({ auth: personalToken(token), provider: github({ baseUrl }), fetch, maxWait: 0 })
  await within({ clock: systemClock }, (signal) =>
    api('/installation/token', { method: 'DELETE', signal }),
  ).catch((error) => {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
  })
}

/** Whether the same request would be refused again. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500 && !isRateLimited(error)
}

/** The name of a record in the store: names of repositories can be longer than the name of a file. */
async function nameOf(key: string): Promise<string> {
  return `installation:${await hexSha256(key)}`
}
