import type { User } from '../../../machines/device-grant.ts'
import { BadOptionError } from '../../errors.ts'
import { githubApi } from '../../github-api/github-api.ts'
import type { InstalledApp } from '../../github-api/installation-tokens.ts'
import { ACCESS_TOKEN_PATH, DEVICE_CODE_PATH, REFRESH_GRANT_TYPE } from '../../protocol/endpoints.ts'
import type { Provider } from '../../protocol/provider.ts'
import { github, rfc8628 } from '../../protocol/providers.ts'
import { REVOCATION_PATH, VERIFICATION_PATH } from '../../protocol/service-paths.ts'
import { systemClock, unlessAborted } from '../../request/clock.ts'
import { errorCodeOf, memberOf, readBody, textMemberOf } from '../../request/http.ts'
import type { Clock } from '../../request/options.ts'
import { Secret } from '../../secret.ts'
import { createService, type Revocable, type Service } from '../../service/create-service.ts'
import type { Client } from '../../service/credentials/clients.ts'
import { DIALECTS } from '../../service/grants/dialect.ts'
import type { Decision } from '../../service/grants/grants.ts'
import type { Listening } from '../../service/http/listen.ts'
import type { ServiceOptions } from '../../service/options.ts'
import { memoryStore } from '../../store/memory-store.ts'
import { assertFault, connectionReset, type Fault, nameOfFault, play } from './fault.ts'
import { VirtualTime } from './virtual-time.ts'

/** Options of `createSandbox`: those of a service, whose `api` is `githubApi()`. All are optional. */
export interface SandboxOptions extends Partial<Omit<ServiceOptions, 'apps' | 'clients' | 'clock'>> {
  /** The clients that may request codes; the first one is `client` of the sandbox. Default: one client. */
  readonly clients?: readonly Client[]
  /** Apps that may call the API, with their installations. Default: none. */
  readonly apps?: readonly InstalledApp[]
  /** `virtual` (the default) if time passes only when the test says so, `real` for the system clock. */
  readonly time?: 'virtual' | 'real'
}

/** A request that the sandbox received, without secrets. */
export interface SandboxRequest {
  /** The HTTP method. */
  readonly method: string
  /** The path of the URL, without the query. */
  readonly path: string
  /** When it arrived, in epoch milliseconds of the sandbox's clock. */
  readonly at: number
  /** The HTTP status of the response, once there is one. */
  readonly status?: number
  /**
   * The outcome: `codes`, `token`, `refreshed`, the error code, or the name of the fault; empty for everything else.
   */
  readonly outcome: string
}

/** Which requests a fault applies to, and to how many. */
export interface FaultTarget {
  /** The requests for codes, the polls, the refreshes, or those that the function selects. Default: all requests. */
  readonly on?:
    | 'codes'
    | 'poll'
    | 'refresh'
    | ((request: { readonly method: string; readonly path: string }) => boolean)
  /** How many requests fail. Default: 1. Use `Infinity` for all of them. */
  readonly times?: number
}

/** A service to test a login against, in the same process and with its own clock. Its functions do not need `this`. */
export interface Sandbox {
  /** Options of `authorizeDevice`, `createSession`, `loginCommands` and others to log in to the sandbox. */
  readonly client: {
    /** The ID of the sandbox's client. */
    readonly clientId: string
    /** The provider with the endpoints of the sandbox. */
    readonly provider: Provider
    /** Sends requests to the sandbox without a socket. */
    readonly fetch: typeof globalThis.fetch
    /** The clock of the sandbox. */
    readonly clock: Clock
  }
  /** The addresses that a client of your own needs, or a proxy. They change when the sandbox listens. */
  readonly endpoints: {
    /** The device authorization endpoint. RFC 8628, section 3.1. */
    readonly deviceAuthorization: string
    /** The token endpoint. */
    readonly token: string
    /** The revocation endpoint. RFC 7009. */
    readonly revocation: string
    /** The page where the user enters the code. */
    readonly verification: string
    /** The issuer, below which the metadata is published. RFC 8414. */
    readonly issuer: string
  }
  /** Sends requests to the sandbox without a socket. */
  readonly fetch: typeof globalThis.fetch
  /** The clock of the service, and of a client that uses `client`. */
  readonly clock: Clock
  /** All requests so far, the latest last. */
  readonly requests: readonly SandboxRequest[]
  /** Approves a request as the user would on the page. Default: the code issued last. */
  approve(userCode?: string, user?: User): Promise<Decision>
  /** Denies a request as the user would on the page. Default: the code issued last. */
  deny(userCode?: string): Promise<Decision>
  /**
   * Ends a login by one of its tokens or its `family`, or all logins of a `user`, as the host of a service can. Default:
   * all logins of the user who approves by default.
   *
   * @returns Whether there was anything to revoke; for a user always `true`.
   */
  revoke(what?: Revocable): Promise<boolean>
  /**
   * Advances virtual time by a number of seconds, and runs everything that is due.
   *
   * @throws {@link BadOptionError} in real time, or if `seconds` is negative.
   */
  advance(seconds: number): Promise<void>
  /**
   * Advances virtual time until a promise settles, and returns its result. In real time, waits for it.
   *
   * @throws `Error` if the promise does not settle within two hours of virtual time.
   */
  run<Result>(promise: Promise<Result>): Promise<Result>
  /**
   * Makes the next request fail, or the requests that `target` selects.
   *
   * @throws {@link BadOptionError} if the fault or the target is unknown.
   */
  inject(fault: Fault, target?: FaultTarget): void
  /** Also serves HTTP on a free local port, and returns its URL. */
  listen(): Promise<string>
  /** Ends pending requests and closes the server. */
  close(): Promise<void>
  /** Calls `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** The URL of a sandbox that does not listen. */
const IN_PROCESS = 'http://localhost'

/** The client, if the options name none. */
const CLIENT = { clientId: 'sandbox', name: 'Sandbox' }

/** The user at the browser, if the options name none. */
const USER: User = 'octocat'

const identify = () => ({ user: USER })

const KINDS = ['codes', 'poll', 'refresh'] as const

type RequestKind = (typeof KINDS)[number]

/** The body of a refresh, as a form or as JSON. */
const REFRESH = new RegExp(`\\bgrant_type\\W+${REFRESH_GRANT_TYPE}\\b`)

/**
 * Creates a service to test a login against: approve, deny, advance time, inject faults, and revoke.
 *
 * @example
 * ```ts
 * import { authorizeDevice } from 'authgraph'
 * import { createSandbox } from 'authgraph/testing'
 *
 * const sandbox = createSandbox()
 * const login = authorizeDevice({
 *   ...sandbox.client,
 *   onCodes: ({ userCode }) => sandbox.approve(userCode),
 * })
 * const token = await sandbox.run(login)
 * ```
 *
 * @example A session that loses the response of a refresh
 * ```ts
 * import { createSession, memoryStore } from 'authgraph/session'
 * import { createSandbox } from 'authgraph/testing'
 *
 * const sandbox = createSandbox({
 *   refreshTokens: { lifetime: 90 * 24 * 60 * 60 },
 * })
 * const session = createSession({
 *   ...sandbox.client,
 *   store: memoryStore(),
 *   onCodes: () => sandbox.approve(),
 * })
 * await sandbox.run(session.login())
 * await sandbox.advance(8 * 60 * 60)
 * sandbox.inject('lose', { on: 'refresh' })
 * const token = await sandbox.run(session.token())
 * ```
 *
 * @throws {@link BadOptionError} if an option is invalid.
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const { time: kind = 'virtual', clients = [CLIENT], ...serviceOptions } = options
  const time = kind === 'virtual' ? new VirtualTime() : undefined
  const clock = time?.clock() ?? systemClock
  const errorStatus = DIALECTS[options.dialect ?? 'github'].pollError
  const { store = memoryStore({ clock }), api = githubApi(options.apps) } = serviceOptions
  const open = new Set<AbortController>()
  const requests: Mutable<SandboxRequest>[] = []
  const faults: { readonly fault: Fault; readonly on: NonNullable<FaultTarget['on']>; left: number }[] = []
  let lastUserCode: string | undefined
  let server: Promise<Pick<Listening, 'url' | 'close'>> | undefined
  let { authUrl } = options
  let service = serviceAt(authUrl)

  /**
   * The store keeps all state, so a service with another URL can replace the first one. Without a URL it responds under
   * every host name, and can stand in for any service.
   */
  function serviceAt(authUrl: string | undefined): Service {
    const own = { clients, store, api, clock, ...(authUrl && { authUrl }) }
    return createService({ identify, ...serviceOptions, ...own })
  }

  async function fetch(input: Parameters<typeof globalThis.fetch>[0], init: RequestInit = {}) {
    const { signal = input instanceof Request ? input.signal : undefined, ...rest } = init
    // Without the signal: Node does not accept that of a page in jsdom.
    const request = new Request(input, rest)
    signal?.throwIfAborted()
    const { method } = request
    const path = new URL(request.url).pathname
    const entry: Mutable<SandboxRequest> = { method, path, at: clock.now(), outcome: '' }
    requests.push(entry)
    const ending = new AbortController()
    open.add(ending)
    const respondUnlessAborted = () => unlessAborted(signal, () => respond(request, entry))
    const response = await unlessAborted(ending.signal, respondUnlessAborted).finally(() =>
      open.delete(ending),
    )
    entry.status = response.status
    return response
  }

  const holdTime = <Result>(run: () => Promise<Result>) => (time ? time.during(run) : run())

  async function respond(request: Request, entry: Mutable<SandboxRequest>) {
    const kind = await holdTime(() => kindOf(request, entry))
    const fault = takeFault(entry, kind)
    if (fault !== undefined) entry.outcome = nameOfFault(fault)
    const send = () => holdTime(async () => read(await service.fetch(request), entry, kind))
    const wait = (seconds: number) =>
      new Promise<void>((resolve) => clock.setTimeout(resolve, seconds * 1000))
    return fault === undefined ? send() : play(fault, { respond: send, wait, now: clock.now, errorStatus })
  }

  /** Dates the response, and records its outcome. */
  async function read(
    response: Response,
    entry: Mutable<SandboxRequest>,
    kind: RequestKind | undefined,
  ): Promise<Response> {
    const text = await response.text()
    const body = readBody(text)
    const userCode = textMemberOf(body, 'user_code')
    if (userCode !== undefined) lastUserCode = userCode
    entry.outcome ||= outcomeOf(body, kind)
    response.headers.set('date', new Date(clock.now()).toUTCString())
    // A response with status 204 must not have a body, not even an empty one.
    return new Response(text || null, response)
  }

  function takeFault(request: SandboxRequest, kind: RequestKind | undefined): Fault | undefined {
    const next = faults.find(
      ({ left, on }) => left > 0 && (typeof on === 'function' ? on(request) : on === kind),
    )
    if (next !== undefined) next.left -= 1
    return next?.fault
  }

  function lastIssued(): string {
    if (lastUserCode === undefined) throw new BadOptionError('there is no code yet: start a login first')
    return lastUserCode
  }

  async function close(): Promise<void> {
    for (const request of open) request.abort(connectionReset())
    const listening = server
    server = undefined
    await (await listening)?.close()
  }

  return {
    get client() {
      return {
        clientId: Secret.of(clients[0]?.clientId ?? '').reveal(),
        provider: providerOf(options.dialect, authUrl ?? IN_PROCESS),
        fetch,
        clock,
      }
    },
    get endpoints() {
      const issuer = authUrl ?? IN_PROCESS
      return {
        deviceAuthorization: issuer + DEVICE_CODE_PATH,
        token: issuer + ACCESS_TOKEN_PATH,
        revocation: issuer + REVOCATION_PATH,
        verification: issuer + VERIFICATION_PATH,
        issuer,
      }
    },
    fetch,
    clock,
    requests,
    approve: async (userCode, user = USER) => service.approve(userCode ?? lastIssued(), user),
    deny: async (userCode) => service.deny(userCode ?? lastIssued()),
    revoke: async (what = { user: USER }) => service.revoke(what),
    async advance(seconds) {
      if (time === undefined)
        throw new BadOptionError('only virtual time can be advanced: create the sandbox without time: "real"')
      if (!Number.isFinite(seconds) || seconds < 0)
        throw new BadOptionError('"seconds" must be a number of zero or more')
      await time.advance(seconds * 1000)
    },
    async run(promise) {
      await time?.settled(promise).catch(() => {
        throw new Error('the promise did not settle: is it waiting for an approval or a response?')
      })
      return promise
    },
    inject(fault, { on = () => true, times = 1 } = {}) {
      assertFault(fault)
      if (typeof on !== 'function' && !KINDS.includes(on))
        throw new BadOptionError("unknown target: on must be 'codes', 'poll', 'refresh' or a function")
      faults.push({ fault, on, left: times })
    },
    async listen() {
      server ??= import('./serve.ts').then(({ serve }) => serve(fetch))
      const { url } = await server
      authUrl = options.authUrl ?? url
      service = serviceAt(authUrl)
      return url
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

async function kindOf(request: Request, { path }: SandboxRequest): Promise<RequestKind | undefined> {
  if (path === DEVICE_CODE_PATH) return 'codes'
  if (path !== ACCESS_TOKEN_PATH) return undefined
  return REFRESH.test(await request.clone().text()) ? 'refresh' : 'poll'
}

function outcomeOf(body: unknown, kind: RequestKind | undefined): string {
  if (memberOf(body, 'device_code') !== undefined) return 'codes'
  if (memberOf(body, 'access_token') !== undefined) return kind === 'refresh' ? 'refreshed' : 'token'
  return errorCodeOf(body) ?? ''
}

function providerOf(provider: ServiceOptions['dialect'], authUrl: string): Provider {
  const spec = github({ authUrl, baseUrl: authUrl })
  if (provider !== 'rfc8628') return spec
  return rfc8628({ ...spec, scopeSeparator: ' ', revocationEndpoint: authUrl + REVOCATION_PATH })
}
