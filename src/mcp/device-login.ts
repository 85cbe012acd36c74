import type { Revocation } from '../../machines/session-context.ts'
import { assertKnown, type Names } from '../assert-known.ts'
import { type Auth, FORM } from '../auth/auth.ts'
import { bearer } from '../auth/bearer.ts'
import { withAuth } from '../auth/with-auth.ts'
import { reasonOf } from '../client/authorize-device.ts'
import { newInput } from '../client/read-options.ts'
import { startDeviceLogin, stepDeviceLogin, type UnfinishedDeviceLogin } from '../client/step.ts'
import type { DeviceView } from '../client/view.ts'
import {
  BadOptionError,
  BadResponseError,
  BusyError,
  DeniedError,
  ExpiredError,
  LoginPendingError,
  LoginRequiredError,
  type PendingCodes,
  RefusedError,
} from '../errors.ts'
import type { OAuthToken } from '../protocol/oauth-token.ts'
import { github } from '../protocol/providers.ts'
import { isBearer, secureAddress } from '../protocol/syntax.ts'
import { pause, systemClock, unlessAborted } from '../request/clock.ts'
import { systemFetch } from '../request/http.ts'
import type { RequestOptions } from '../request/options.ts'
import type { Secret } from '../secret.ts'
import { createSession, type Session } from '../session/create-session.ts'
import { keepInTime } from '../session/keep-in-time.ts'
import { revoke } from '../session/revoke.ts'
import { findLogin } from '../session/session-record.ts'
import type { SessionStore } from '../session/session-store.ts'
import { assertAudience } from './assert-audience.ts'
import { type Challenge, readChallenge } from './challenge.ts'
import { confinedFetch } from './confined-fetch.ts'
import { findIssuer, type Issuer, type IssuerQuestion, inTime } from './find-issuer.ts'
import { createIssuerClients, type IssuerClient } from './issuer-clients.ts'
import { createPendingLogin, type PendingLogin } from './pending-login.ts'
import { type KnownServer, readKnown, readRecord, writeRecord } from './records.ts'
import { findServerMetadata, isBelow } from './server-metadata.ts'
import { assertVerificationHost } from './verification-host.ts'

/** Default seconds to wait for the user: MCP clients give up a request after 60. */
const WAIT = 45

/** Milliseconds after a login in which a token that the server refuses starts no other login. */
const LOGIN_PAUSE = 60_000

/** How often a server may ask for more scopes before one of its responses is a success. */
const MOST_STEP_UPS = 3

/** Options of `deviceLogin`. Only `store` is required. */
export interface McpLoginOptions extends Pick<RequestOptions, 'fetch' | 'clock'> {
  /** Where logins are stored. All processes with the same store share them. */
  readonly store: SessionStore
  /**
   * Called with the codes of each login, once in each process that waits for it: show them to the user, with the server and
   * the issuer. Default: only the {@link LoginPendingError} shows them.
   */
  readonly onCodes?: ((codes: PendingCodes) => unknown) | undefined
  /** Seconds for which a request waits for the user. Default: 45, since MCP clients give up after 60. */
  readonly wait?: number | undefined
  /**
   * The only issuer to log in at, as the server spells it. Default: that of the last login, one of `clients`, or the first with
   * a device flow. A stored login is used whatever its issuer, which `status()` tells.
   */
  readonly issuer?: string | undefined
  /** The clients that you have, by the URL of their issuer as the server spells it. Default: one is registered. */
  readonly clients?: Readonly<Record<string, IssuerClient>> | undefined
  /** The URL of a client ID metadata document, for issuers that accept one. */
  readonly clientDocument?: string | undefined
  /** The name of a client that is registered. Issuers show it to the user. Default: `Authgraph`. */
  readonly clientName?: string | undefined
  /**
   * Asks the user whether the server may send its users to an issuer: called if the issuer is of another site, or is not
   * that of the last login. Default: no.
   */
  readonly confirmIssuer?: ((question: IssuerQuestion) => boolean | Promise<boolean>) | undefined
  /** Further hosts at which the user may enter a code. Default: that of the issuer. */
  readonly verificationHosts?: readonly string[] | undefined
}

const KNOWN: Names<McpLoginOptions> = {
  fetch: true,
  clock: true,
  store: true,
  onCodes: true,
  wait: true,
  issuer: true,
  clients: true,
  clientDocument: true,
  clientName: true,
  confirmIssuer: true,
  verificationHosts: true,
}

/** What is stored of a login. */
export interface McpLoginStatus {
  /** Whether there is a usable token; it may need a refresh. */
  readonly isLoggedIn: boolean
  /** The issuer of the last login, if there was one. */
  readonly issuer?: string
  /** The scopes that the last login asked for. */
  readonly scopes: readonly string[]
  /** What the user has to enter, if a login is waiting for that. */
  readonly codes?: PendingCodes
}

/** The login at one MCP server. */
export interface McpLogin {
  /** The URL of the server. */
  readonly url: URL
  /**
   * Sends requests to the server with a token, and logs in, refreshes and asks for more scopes as the server demands. Requests
   * to URLs that are not below the server's resource are sent unchanged. It never follows a redirect.
   *
   * @throws {@link LoginPendingError} if the user does not decide in time; {@link DeniedError}, {@link ExpiredError}; {@link
   * WrongHostError} if the server names a host that it must not; and the errors of a request.
   */
  readonly fetch: typeof globalThis.fetch
  /** Logs in, unless there is a login. Also soon after one was denied. Rejects as `fetch` does. */
  login(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>
  /**
   * Ends the waits for the user, so that the process can end: they reject with {@link LoginPendingError}, after a poll that is
   * on its way. Another process can continue the login. Afterwards, `fetch` starts no login: it resolves to the response.
   */
  stop(): void
  /** Removes the login from the store, gives up a pending one, and revokes the tokens. */
  logout(): Promise<Revocation>
  /** Reads what is stored. Sends nothing. */
  status(): Promise<McpLoginStatus>
  /** The session of the stored login; `undefined` before the first login. */
  session(): Promise<Session | undefined>
}

/** Why a login is needed. */
interface LoginReason {
  readonly challenge: Challenge
  /** The token that the server has refused. */
  readonly refused?: Secret | undefined
  /** Whether the user asked for it. */
  readonly isWanted?: boolean
}

interface OpenLogin {
  readonly known: KnownServer
  readonly client: IssuerClient
  readonly session: Session
}

/**
 * Logs in to a remote MCP server with the device flow: from daemons, containers, remote hosts and jobs, which cannot open a
 * browser. It sends nothing before its `fetch` is used, and needs no package of MCP.
 *
 * Any number of processes with one store show one code, which outlives each of them.
 *
 * @example
 * ```ts
 * import { deviceLogin } from 'authgraph/mcp'
 * import { fileStore } from 'authgraph/session/node'
 *
 * const login = deviceLogin('https://mcp.example.com/mcp', {
 *   store: fileStore('my-agent'),
 *   onCodes: ({ server, userCode, verificationUri }) => {
 *     show(server, userCode, verificationUri)
 *   },
 * })
 * // Pass both to the transport of your MCP client.
 * const { url, fetch } = login
 * ```
 *
 * @param url The URL of the server: `https`, or `http` on a loopback address.
 * @throws {@link BadOptionError} if an option is missing, unknown or invalid; {@link WrongHostError} for another URL.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728.html RFC 9728}
 * @see {@link https://www.rfc-editor.org/rfc/rfc8628.html RFC 8628}
 */
export function deviceLogin(url: string | URL, options: McpLoginOptions): McpLogin {
  assertKnown(options, KNOWN)
  const { store, fetch = systemFetch, clock = systemClock, onCodes, confirmIssuer } = options
  const { wait = WAIT, verificationHosts = [], clients: given = {}, clientDocument } = options
  const { clientName = 'Authgraph', issuer: wantedIssuer } = options
  if (typeof store?.update !== 'function')
    throw new BadOptionError('store must have a method "update": pass memoryStore(), or fileStore() on Node')
  if (!(wait >= 0)) throw new BadOptionError('wait must be a number of seconds, 0 or more')
  const server = secureAddress(String(url))
  server.hash = ''
  const key = `mcp ${server.href}`
  const confined = confinedFetch(fetch, server, options.fetch === undefined)
  const via = { fetch: confined.fetch, clock }
  const clients = createIssuerClients({ given, document: clientDocument, name: clientName, store, ...via })
  const pending = createPendingLogin(store, `${key} login`, clock)
  let opening: Promise<OpenLogin | undefined> | undefined
  let running: Promise<boolean> | undefined
  let shown: string | undefined
  let fault: DeviceView['error']
  let stepUps = 0
  const stopping = new AbortController()

  /** Opens the stored login. It stays open, so that all requests share one refresh. */
  function open(): Promise<OpenLogin | undefined> {
    opening ??= openStored().then(
      (opened) => {
        if (opened === undefined) opening = undefined
        return opened
      },
      (error) => {
        opening = undefined
        throw error
      },
    )
    return opening
  }

  /** A session does not adopt another login: it is opened again, since another process may have logged in. */
  function reopen(): Promise<OpenLogin | undefined> {
    opening = undefined
    return open()
  }

  async function openStored(): Promise<OpenLogin | undefined> {
    const known = await storedServer()
    const client = known && (await clients.find(known.issuer))
    if (!known || !client) return undefined
    confined.isPrivate = known.isPrivate
    const session = createSession({ ...senderOf(known, client), store, name: sessionKey(known.issuer) })
    return { known, client, session }
  }

  async function storedServer(): Promise<KnownServer | undefined> {
    return readKnown(await readRecord(store, key))
  }

  async function storeServer(known: KnownServer, changes: Partial<KnownServer> = {}): Promise<KnownServer> {
    const changed = { ...known, ...changes, provider: { ...known.provider } }
    await writeRecord(store, key, changed)
    return changed
  }

  function sessionKey(issuer: string): string {
    return `${key} ${issuer}`
  }

  function senderOf({ provider, resource }: KnownServer, client: IssuerClient) {
    return { ...via, ...client, provider, resource }
  }

  /** The token of a login, refreshed if necessary; `undefined` if nobody is logged in. */
  async function tokenOf(opened: OpenLogin | undefined): Promise<Secret | undefined> {
    try {
      return await opened?.session.token()
    } catch (error) {
      if (error instanceof LoginRequiredError || isUnknownClient(error)) return undefined
      throw error
    }
  }

  /** Whether there is a login with another token than the refused one. */
  async function isLoggedIn(refused: Secret | undefined): Promise<boolean> {
    const token = await tokenOf(await reopen())
    return token !== undefined && bearer(token).reveal() !== refused?.reveal()
  }

  const form: Auth = {
    form: 'mcp',
    async authorization() {
      const token = await tokenOf(await open())
      return token && bearer(token)
    },
    async learn(response, sent) {
      const challenge = readChallenge(response.headers)
      const opened = await open()
      if (response.status === 401 && sent) {
        // Another process may have logged out, or in again.
        if ((await tokenOf(opened)) === undefined) return true
        return opened?.session[FORM].learn?.(response, sent) ?? false
      }
      if (response.status === 401) return logIn({ challenge })
      if (response.ok) stepUps = 0
      if (response.status !== 403 || challenge.error !== 'insufficient_scope') return false
      if (await isLoggedIn(sent)) return true
      const asked = (await open())?.known.scopes ?? []
      if (stepUps === MOST_STEP_UPS || challenge.scopes.every((scope) => asked.includes(scope))) return false
      stepUps += 1
      return logIn({ challenge, refused: sent })
    },
  }

  /** One login for all requests of this process. Resolves to whether a request may be sent again. */
  function logIn(reason: LoginReason): Promise<boolean> {
    running ??= runLogin(reason).finally(() => {
      running = undefined
    })
    return running
  }

  async function runLogin(reason: LoginReason): Promise<boolean> {
    let codes: PendingCodes | undefined
    // Counted, since the clock may be set while the user decides.
    for (let waited = 0; ; ) {
      const state = await pending.look()
      if (state.type === 'free') {
        if (stopping.signal.aborted) return false
        const done = await start(reason)
        if (done !== undefined) return done
        continue
      }
      if (state.type === 'over') throw endOf(state.code)
      if (state.type === 'pending') {
        const opened = await open()
        // The client or the server was forgotten: the login cannot be finished.
        if (opened === undefined) await pending.remove()
        if (opened === undefined) continue
        codes = codesOf(state.login, opened.known)
        await show(state.login, codes)
        if (await poll(state.login, opened, reason.refused)) return true
      }
      if (stopping.signal.aborted || waited >= wait)
        throw codes ? new LoginPendingError(codes) : new BusyError('pid' in state ? state.pid : undefined)
      const seconds = Math.min(1, wait - waited)
      await pause(clock, seconds * 1000, stopping.signal).catch(() => undefined)
      waited += seconds
    }
  }

  async function show({ id }: PendingLogin, codes: PendingCodes): Promise<void> {
    if (shown === id) return
    shown = id
    await onCodes?.(codes)
  }

  /** Starts a login. Resolves to a result if none is needed; else to `undefined`, and there may be one to wait for. */
  async function start({ challenge, refused, isWanted }: LoginReason): Promise<boolean | undefined> {
    if (await isLoggedIn(refused)) return true
    const nonce = await pending.claim()
    if (nonce === undefined) return undefined
    try {
      // Another process may have finished a login before the claim.
      if (await isLoggedIn(refused)) return true
      const known = await storedServer()
      const age = Math.abs(clock.now() - (known?.loggedInAt ?? 0))
      if (refused === undefined && !isWanted && age < LOGIN_PAUSE) return false
      const { record } = await requestCodes(challenge, known)
      await pending.begin(nonce, record)
      return undefined
    } finally {
      await pending.release(nonce)
    }
  }

  async function requestCodes(
    challenge: Challenge,
    previous: KnownServer | undefined,
  ): Promise<UnfinishedDeviceLogin> {
    const found = await inTime(server, clock, (signal) => findServerMetadata(server, challenge, via, signal))
    const choice = { server, named: found.issuers, wanted: wantedIssuer, previous: previous?.issuer }
    const ours = { isConfigured: clients.isGiven, confirm: confirmIssuer }
    const issuer = await findIssuer({ ...choice, ...ours }, via)
    const isSame = previous?.issuer === issuer.url
    const known: KnownServer = {
      v: 1,
      resource: found.resource,
      issuer: issuer.url,
      // The record of the session is then bound to the server, too.
      provider: { ...issuer.provider, baseUrl: server.origin },
      scopes: isSame ? previous.scopes : [],
      isPrivate: confined.isPrivate,
      loggedInAt: previous?.loggedInAt ?? 0,
    }
    const wanted = challenge.scopes.length > 0 ? challenge.scopes : found.scopes
    const offline = issuer.scopes.filter((scope) => scope === 'offline_access')
    const scopes = [...new Set([...known.scopes, ...wanted, ...offline])]
    const login = await requestCodesAt(issuer, known, scopes)
    assertVerificationHost(login.codes.verificationUri, issuer.url, verificationHosts)
    await storeServer(known)
    opening = undefined
    return login
  }

  /** Registers again, once, at an issuer that has forgotten its client. */
  async function requestCodesAt(
    issuer: Issuer,
    known: KnownServer,
    scopes: string[],
  ): Promise<UnfinishedDeviceLogin> {
    let client: IssuerClient | undefined
    const request = async () => {
      client = await clients.findOrRegister(issuer)
      return startDeviceLogin({ ...senderOf(known, client), scopes })
    }
    try {
      return await request()
    } catch (error) {
      if (!client || !isUnknownClient(error) || clients.isGiven(issuer.url)) throw error
      await clients.forget(issuer.url, client)
      return request()
    }
  }

  /** Polls if a poll is due and no other process is faster. Resolves to whether the login is done. */
  async function poll(login: PendingLogin, opened: OpenLogin, refused: Secret | undefined): Promise<boolean> {
    const { known, client } = opened
    let current = login
    const { resource: _, ...sender } = senderOf(known, client)
    try {
      const step = await stepDeviceLogin(login.record, {
        ...sender,
        async save(next) {
          const saved = await pending.advance(current, next)
          if (saved === undefined) throw new TurnLost()
          current = saved
        },
      })
      if ('record' in step) {
        // A step without a poll has no error.
        fault = step.view.error ?? fault
        return false
      }
      if (step.status !== 'authorized') {
        // A process that was killed may have stored the token before.
        const isDone = await isLoggedIn(refused)
        await pending.end(login, isDone ? undefined : step.status)
        if (isDone) return true
        const reason = reasonOf(step)
        const { faults, expiresAt } = login.record
        // If the last poll failed, nobody knows what the user decided.
        if (step.status === 'expired' && faults && clock.now() >= expiresAt && fault)
          reason.cause = Object.assign(new Error(fault.message), { code: fault.code })
        // Some issuers check the client only now.
        if (isUnknownClient(reason)) await clients.forget(known.issuer, client)
        throw reason
      }
      await finish(login, step.token, opened)
      return true
    } catch (error) {
      if (error instanceof TurnLost) return false
      throw error
    }
  }

  /** Stores the token of a login, and revokes the one that it replaces. */
  async function finish(login: PendingLogin, token: OAuthToken, opened: OpenLogin): Promise<void> {
    const { known, client, session } = opened
    const sender = newInput(senderOf(known, client))
    const revokeQuietly = (token: OAuthToken) =>
      revoke({ sender }, { revoking: [token] }).catch(() => undefined)
    try {
      assertBearer(token)
      assertAudience(token.accessToken, known.resource)
    } catch (error) {
      await pending.end(login, 'failed')
      await revokeQuietly(token)
      throw error
    }
    // The new token is issued only once: nothing may keep it from the store. Whoever ends a login has stored its token before,
    // so that this order finds it.
    const isOpen = await pending.isOpen(login).catch(() => true)
    const found = await readRecord(store, sessionKey(known.issuer))
      .then((json) => findLogin(json, known.provider))
      .catch(() => undefined)
    const before = found?.type === 'found' ? found.kept.token : undefined
    // An issuer may repeat its response to the next poll. If that process has finished the login, its tokens are newer.
    if (!isOpen && before !== undefined) return
    if (!isOpen) return void (await revokeQuietly(token))
    await keepInTime(session, token)
    const changes = { scopes: login.record.scopes, loggedInAt: clock.now() }
    opening = Promise.resolve({ ...opened, known: await storeServer(known, changes) })
    // A logout in the meantime found no token to remove.
    if (!(await pending.end(login)) && (await pending.isRemoved())) return void (await session.logout())
    const isSame = before?.accessToken.reveal() === token.accessToken.reveal()
    if (before !== undefined && !isSame) await revokeQuietly(before)
  }

  /** Removes a login whose client was not given or is forgotten. */
  async function discard({ issuer }: KnownServer): Promise<Revocation> {
    await writeRecord(store, sessionKey(issuer), null)
    return { revoked: false, why: 'the client of this login is not known' }
  }

  function codesOf({ record }: PendingLogin, { issuer }: KnownServer): PendingCodes {
    const { userCode, verificationUri, verificationUriComplete, expiresAt } = record
    const complete = verificationUriComplete !== undefined && { verificationUriComplete }
    return { server: server.href, issuer, userCode, verificationUri, ...complete, expiresAt }
  }

  // Only its `baseUrl` is used: where the token may be sent.
  const authorized = withAuth(form, {
    provider: { ...github(), baseUrl: server.origin },
    fetch: confined.fetch,
  })

  return {
    url: new URL(server),
    async fetch(input, init) {
      const address = new URL(input instanceof Request ? input.url : input)
      const resource = (await open())?.known.resource ?? server.href
      return isBelow(resource, address) ? authorized(input, init) : fetch(input, init)
    },
    async login({ signal } = {}) {
      await unlessAborted(signal, async () => {
        if ((await pending.look()).type === 'over') await pending.remove()
        await logIn({ challenge: { scopes: [] }, isWanted: true })
      })
    },
    stop: () => stopping.abort(),
    async logout() {
      const opened = await reopen()
      await pending.remove()
      const known = await storedServer()
      if (known === undefined) return { revoked: false, why: 'there was no login' }
      const revocation = await (opened?.session.logout() ?? discard(known))
      await storeServer(known, { scopes: [], loggedInAt: 0 })
      opening = undefined
      return revocation
    },
    async status() {
      const known = await storedServer()
      const state = await pending.look()
      if (known === undefined) return { isLoggedIn: false, scopes: [] }
      const found = findLogin(await readRecord(store, sessionKey(known.issuer)), known.provider)
      return {
        isLoggedIn: found.type === 'found',
        issuer: known.issuer,
        scopes: known.scopes,
        ...(state.type === 'pending' && { codes: codesOf(state.login, known) }),
      }
    },
    session: async () => (await open())?.session,
  }
}

/** Another process polls, or has ended the login. */
class TurnLost extends Error {}

function assertBearer({ tokenType }: OAuthToken): void {
  if (!isBearer(tokenType))
    throw new BadResponseError(
      'MCP requires a bearer token, but the issued one has another type: it was not used',
    )
}

function isUnknownClient(error: unknown): boolean {
  return error instanceof RefusedError && error.error === 'invalid_client'
}

function endOf(code: string): Error {
  if (code === 'denied') return new DeniedError()
  if (code === 'expired') return new ExpiredError()
  return new LoginRequiredError('the last login failed')
}
