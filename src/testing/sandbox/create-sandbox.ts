import type { User } from '../../../machines/device-grant.ts'
import { type Clock, systemClock } from '../../client/options.ts'
import { BadOptionError } from '../../errors.ts'
import { ACCESS_TOKEN_PATH, DEVICE_CODE_PATH } from '../../protocol/endpoints.ts'
import { github, type Provider, rfc8628 } from '../../protocol/provider.ts'
import { errorCodeOf, memberOf, readBody } from '../../protocol/response.ts'
import type { Secret } from '../../secret.ts'
import { createService, type Service } from '../../service/create-service.ts'
import type { Decision } from '../../service/grants.ts'
import type { Listening } from '../../service/http/listen.ts'
import type { ServiceOptions } from '../../service/options.ts'
import { memoryStore } from '../../service/stores/memory.ts'
import { assertFault, connectionReset, type Fault, nameOf, play } from './fault.ts'
import { VirtualTime } from './virtual-time.ts'

/**
 * What `createSandbox` takes: everything that a service does, all of it with defaults.
 *
 * @group Sandbox
 */
export interface SandboxOptions extends Partial<Omit<ServiceOptions, 'clock'>> {
  /** Whether time passes only when a test says so (the default), or by itself. */
  readonly time?: 'virtual' | 'real'
}

/**
 * A request as the sandbox got it. It holds no secret.
 *
 * @group Sandbox
 */
export interface SandboxRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** When it arrived, epoch milliseconds of the sandbox's time. */
  readonly at: number
  /** The HTTP status of the answer, once there is one. */
  readonly status?: number
  /** What was answered: `codes`, `token`, the error word, or the name of the fault; empty for everything else. */
  readonly outcome: string
}

/**
 * Which requests a fault is for, and how many of them.
 *
 * @group Sandbox
 */
export interface FaultTarget {
  /** The requests for codes, the polls, or what the function says: all by default. */
  readonly on?: 'codes' | 'poll' | ((request: { readonly method: string; readonly path: string }) => boolean)
  /** 1 by default; `Infinity` for all of them. */
  readonly times?: number
}

/**
 * A service to test a login against, in the same process and in a time of its own. Its functions need no `this`.
 *
 * @group Sandbox
 */
export interface Sandbox {
  /** What `authorizeDevice` and `createDeviceAuthorization` take to log in here. */
  readonly client: {
    readonly clientId: string | Secret
    readonly provider: Provider
    /** Answers without a socket. */
    readonly fetch: typeof globalThis.fetch
    /** The time of the sandbox. */
    readonly clock: Clock
  }
  /** Answers without a socket. */
  readonly fetch: typeof globalThis.fetch
  /** The time of the service, and of the client that is given it. */
  readonly clock: Clock
  /** Every request so far, the latest last. */
  readonly requests: readonly SandboxRequest[]
  /** Approves as the user would on the page: the code issued last, where none is given. */
  approve(userCode?: string, user?: User): Promise<Decision>
  /** Denies as the user would on the page: the code issued last, where none is given. */
  deny(userCode?: string): Promise<Decision>
  /**
   * Lets seconds of virtual time pass, and everything happen that falls into them.
   *
   * @throws {@link BadOptionError} in real time, and for a time that is negative.
   */
  advance(seconds: number): Promise<void>
  /**
   * Lets virtual time pass until a promise settles, and gives what it brings. In real time, waits for it.
   *
   * @throws Error where two hours of virtual time do not settle it.
   */
  run<Result>(promise: Promise<Result>): Promise<Result>
  /**
   * Has a coming request go wrong: the next one, where nothing else is said.
   *
   * @throws {@link BadOptionError} for what is no fault, and for requests that have no such name.
   */
  inject(fault: Fault, target?: FaultTarget): void
  /** Serves HTTP on a free port of this machine as well, and gives its address. */
  listen(): Promise<string>
  /** Ends the requests that still wait for an answer, and the server. */
  close(): Promise<void>
  /** The same as `close`: for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/** The address of a sandbox that does not listen. */
const IN_PROCESS = 'http://localhost'

/** The only client, where options name none. */
const CLIENT = { clientId: 'sandbox', name: 'Sandbox' }

/** Who sits at the browser, where options do not say. */
const USER: User = 'octocat'

const identify = () => ({ user: USER })

const PATHS = { codes: DEVICE_CODE_PATH, poll: ACCESS_TOKEN_PATH }

/**
 * Makes a service to test a login against: approve, deny, let time pass, and let things go wrong.
 *
 * @throws {@link BadOptionError} for an option that cannot be used.
 * @group Sandbox
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const { time: kind = 'virtual', clients = [CLIENT], ...serviceOptions } = options
  const time = kind === 'virtual' ? new VirtualTime() : undefined
  const clock = time?.clock() ?? systemClock
  const { store = memoryStore({ clock }) } = serviceOptions
  const waiting = new Set<() => void>()
  const requests: Mutable<SandboxRequest>[] = []
  const faults: { readonly fault: Fault; readonly matches: Matches; left: number }[] = []
  let lastUserCode: string | undefined
  let server: Promise<Pick<Listening, 'url' | 'close'>> | undefined
  let { authUrl } = options
  let service = serviceAt(authUrl)

  /**
   * The store holds all that is known: a service of another address goes on where the first one was. Without an address
   * it answers under every name, so that it can stand in the place of any service.
   */
  function serviceAt(authUrl: string | undefined): Service {
    return createService({ identify, ...serviceOptions, clients, store, clock, ...(authUrl && { authUrl }) })
  }

  async function fetch(input: Parameters<typeof globalThis.fetch>[0], init: RequestInit = {}) {
    const { signal = input instanceof Request ? input.signal : undefined, ...rest } = init
    // Without the signal: that of a page in jsdom is none of Node's.
    const request = new Request(input, rest)
    signal?.throwIfAborted()
    const { method } = request
    const path = new URL(request.url).pathname
    const entry: Mutable<SandboxRequest> = { method, path, at: clock.now(), outcome: '' }
    requests.push(entry)
    const response = await unlessEnded(respond(request, takeFault(entry), entry), signal)
    entry.status = response.status
    return response
  }

  async function respond(request: Request, fault: Fault | undefined, entry: Mutable<SandboxRequest>) {
    if (fault !== undefined) entry.outcome = nameOf(fault)
    const send = async () => {
      const release = time?.hold()
      try {
        return await read(await service.fetch(request), entry)
      } finally {
        release?.()
      }
    }
    const wait = (seconds: number) =>
      new Promise<void>((resolve) => clock.setTimeout(resolve, seconds * 1000))
    return fault === undefined ? send() : play(fault, { respond: send, wait, now: clock.now })
  }

  /** Dates the answer, and notes what it says. */
  async function read(response: Response, entry: Mutable<SandboxRequest>): Promise<Response> {
    const text = await response.text()
    const body = readBody(text)
    const userCode = memberOf(body, 'user_code')
    if (typeof userCode === 'string') lastUserCode = userCode
    entry.outcome ||= outcomeOf(body)
    response.headers.set('date', new Date(clock.now()).toUTCString())
    return new Response(text, response)
  }

  function takeFault(request: SandboxRequest): Fault | undefined {
    const next = faults.find(({ left, matches }) => left > 0 && matches(request))
    if (next !== undefined) next.left -= 1
    return next?.fault
  }

  /** A caller that gives up, or a sandbox that closes, waits no longer. */
  function unlessEnded(
    response: Promise<Response>,
    signal: AbortSignal | null | undefined,
  ): Promise<Response> {
    return new Promise((resolve, reject) => {
      const drop = () => reject(connectionReset())
      const giveUp = () => reject(signal?.reason)
      waiting.add(drop)
      signal?.addEventListener('abort', giveUp)
      response.then(resolve, reject).finally(() => {
        waiting.delete(drop)
        signal?.removeEventListener('abort', giveUp)
      })
    })
  }

  function lastIssued(): string {
    if (lastUserCode === undefined) throw new BadOptionError('there is no code yet: nobody asked for one')
    return lastUserCode
  }

  async function close(): Promise<void> {
    for (const drop of waiting) drop()
    const open = server
    server = undefined
    await (await open)?.close()
  }

  return {
    get client() {
      return {
        clientId: clients[0]?.clientId ?? '',
        provider: providerOf(options.dialect, authUrl ?? IN_PROCESS),
        fetch,
        clock,
      }
    },
    fetch,
    clock,
    requests,
    approve: async (userCode, user = USER) => service.approve(userCode ?? lastIssued(), user),
    deny: async (userCode) => service.deny(userCode ?? lastIssued()),
    async advance(seconds) {
      if (time === undefined) throw new BadOptionError('only virtual time can be advanced')
      if (!Number.isFinite(seconds) || seconds < 0)
        throw new BadOptionError('seconds must be a number of zero or more: time passes forward')
      await time.advance(seconds * 1000)
    },
    async run(promise) {
      let settled = false
      const settle = () => {
        settled = true
      }
      promise.then(settle, settle)
      await time
        ?.until(() => settled)
        .catch(() => {
          throw new Error('the promise waits for what time does not bring: a decision, say, or an answer')
        })
      return promise
    },
    inject(fault, { on = () => true, times = 1 } = {}) {
      assertFault(fault)
      if (typeof on !== 'function' && !Object.hasOwn(PATHS, on))
        throw new BadOptionError("on names no requests: give 'codes', 'poll' or a function")
      const matches = typeof on === 'function' ? on : ({ path }: SandboxRequest) => path === PATHS[on]
      faults.push({ fault, matches, left: times })
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

type Matches = (request: SandboxRequest) => boolean

function outcomeOf(body: unknown): string {
  if (memberOf(body, 'device_code') !== undefined) return 'codes'
  if (memberOf(body, 'access_token') !== undefined) return 'token'
  return errorCodeOf(body) ?? ''
}

function providerOf(provider: ServiceOptions['dialect'], authUrl: string): Provider {
  const spec = github({ authUrl, baseUrl: authUrl })
  return provider === 'rfc8628' ? rfc8628({ ...spec, scopeSeparator: ' ' }) : spec
}
