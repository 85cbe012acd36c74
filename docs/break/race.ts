import type { Clock } from '../../src/request/options.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { CLIENT_ID, type Connection, failed, inMemory } from './connection.ts'
import type { Fault, Trouble } from './faults.ts'
import { holdDuringReads } from './hold-during-reads.ts'

/** Logs in with a client, and returns its token. Each call is a process of its own. */
export type LogIn = (options: {
  readonly url: string
  readonly clientId: string
  /** Whether to use the client with care, or as its README shows. */
  readonly isCareful: boolean
  /** What the process before this one has saved. */
  readonly saved: string | undefined
  readonly save: (text: string) => void
  readonly onCode: (userCode: string) => void
}) => Promise<string>

/** Starts a process: a bundled client in a function whose parameters shadow the globals that tell the time and send requests. */
export type Client = (globals: Readonly<Record<string, unknown>>) => LogIn

/** A request for the token. */
export interface Poll {
  /** Seconds since the login began: when it was sent, and when the client learned its result. */
  readonly at: number
  until: number
  /** `fault` if no response of the service arrived. */
  result: 'pending' | 'slow_down' | 'token' | 'fault' | 'other'
}

/** A login, in seconds since it began. */
export interface Run {
  readonly polls: readonly Poll[]
  /** When the process learned each code. */
  readonly codes: readonly number[]
  /** When the laptop slept, or no process ran. */
  readonly gap?: readonly [from: number, to: number]
  readonly end: number
  /** `second code` if the user had to enter another one. */
  readonly outcome: 'token' | 'second code' | 'ends'
  /** The error that ended it. */
  readonly error?: string
}

/** Seconds from the client to the service, and back. */
const LATENCY = 0.1

/** The fault meets the first poll that is sent after this many seconds. */
const FAULT_FROM = 8

/** When a process is killed and started again. */
const RESTART = [12, 14] as const

/** Seconds after which Node's `fetch` gives up. */
const HEADERS_TIMEOUT = 300

/** When the user approves. */
export const APPROVED_AT = 19

const NEVER = new Promise<never>(() => undefined)

/** Runs a login to its end in virtual time. The user approves the code that was shown last. */
export async function race(
  client: Client,
  fault: Fault,
  isCareful: boolean,
  connect = inMemory,
): Promise<Run> {
  const time = new VirtualTime()
  holdDuringReads(time)
  return new Race(time, { client, fault, isCareful, connection: await connect(time) }).finish()
}

interface Entry {
  readonly client: Client
  readonly fault: Fault
  readonly isCareful: boolean
  readonly connection: Connection
}

class Race {
  readonly #time: VirtualTime
  readonly #clock: Clock
  readonly #begin: number
  readonly #entry: Entry
  readonly #polls: Poll[] = []
  readonly #codes = new Map<string, number>()
  #isMet = false
  #saved: string | undefined
  /** The number of the process that runs. */
  #process = 0
  #gap: readonly [from: number, to: number] | undefined
  #asleepUntil = 0
  #end: { readonly at: number; readonly error?: string } | undefined

  constructor(time: VirtualTime, entry: Entry) {
    this.#time = time
    this.#clock = time.clock()
    this.#begin = time.now
    this.#entry = entry
  }

  async finish(): Promise<Run> {
    const { restarts, approvedAt = APPROVED_AT } = this.#entry.fault
    void this.#wait(approvedAt).then(() => this.#approve())
    void this.#start()
    if (restarts) void this.#restart()
    await this.#time.until(() => this.#end !== undefined)
    const { at, error } = this.#end ?? { at: 0 }
    return {
      polls: this.#polls,
      codes: [...this.#codes.values()],
      end: at,
      outcome: error !== undefined ? 'ends' : this.#codes.size > 1 ? 'second code' : 'token',
      ...(this.#gap && { gap: this.#gap }),
      ...(error !== undefined && { error }),
    }
  }

  async #approve(): Promise<void> {
    const userCode = [...this.#codes.keys()].at(-1)
    const release = this.#time.hold()
    if (userCode !== undefined) await this.#entry.connection.approve(userCode)
    release()
  }

  async #restart(): Promise<void> {
    const [from, to] = RESTART
    await this.#wait(from)
    this.#process += 1
    await this.#wait(to - from)
    this.#gap = RESTART
    await this.#start()
  }

  async #start(): Promise<void> {
    const own = this.#process
    const isRunning = () => own === this.#process
    const logIn = this.#entry.client(this.#globals(isRunning))
    const error = await logIn({
      url: this.#entry.connection.url,
      clientId: CLIENT_ID,
      isCareful: this.#entry.isCareful,
      saved: this.#entry.isCareful ? this.#saved : undefined,
      save: (text) => {
        if (isRunning()) this.#saved = text
      },
      onCode: (userCode) => {
        if (!this.#codes.has(userCode)) this.#codes.set(userCode, this.#at())
      },
    }).then(
      () => undefined,
      (error: Error) => `${error.name}: ${error.message}`,
    )
    if (isRunning()) this.#end = { at: this.#at(), ...(error !== undefined && { error }) }
  }

  /** What the process has in place of the globals. Its timers neither fire in another process nor while the laptop sleeps. */
  #globals(isRunning: () => boolean): Readonly<Record<string, unknown>> {
    const clock = this.#clock
    const { now } = clock
    const setTimeout = (callback: (...values: unknown[]) => void, delay = 0, ...values: unknown[]) => {
      const timer: { handle?: unknown } = {}
      const fire = () => {
        const rest = this.#asleepUntil - now()
        if (rest > 0) timer.handle = clock.setTimeout(fire, rest)
        else if (isRunning()) callback(...values)
      }
      timer.handle = clock.setTimeout(fire, delay)
      return timer
    }
    const clearTimeout = (timer?: { readonly handle?: unknown }) => clock.clearTimeout(timer?.handle)
    const timeout = (delay: number) => {
      const controller = new AbortController()
      setTimeout(() => controller.abort(new DOMException('signal timed out', 'TimeoutError')), delay)
      return controller.signal
    }
    const shadows: Record<string, unknown> = {
      setTimeout,
      clearTimeout,
      fetch: (input: string, init?: RequestInit) =>
        isRunning() ? this.#fetch(new Request(input, init), isRunning) : NEVER,
      Date: class extends Date {
        constructor(...values: [number]) {
          super(...(values.length > 0 ? values : ([now()] as const)))
        }
        static override now = now
      },
      AbortSignal: new Proxy(AbortSignal, {
        get: (target, name) => (name === 'timeout' ? timeout : Reflect.get(target, name)),
      }),
      performance: { now: () => now() - this.#begin },
      console: { log() {}, info() {}, warn() {}, error() {}, debug() {} },
      // Waits are prolonged at random, by less than a second.
      Math: Object.create(Math, { random: { value: () => 0.5 } }),
    }
    shadows.globalThis = new Proxy(globalThis, {
      get: (target, name) => (name in shadows ? shadows[name as string] : Reflect.get(target, name)),
    })
    return shadows
  }

  async #fetch(request: Request, isRunning: () => boolean): Promise<Response> {
    const { signal } = request
    const poll = new URL(request.url).pathname.endsWith('/access_token') ? this.#poll() : undefined
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    })
    const { trouble, sleeps = 0 } = poll?.result === 'fault' ? this.#entry.fault : {}
    try {
      const response = await Promise.race([aborted, this.#travel(request, trouble, sleeps)])
      if (!isRunning()) return await NEVER
      if (poll && (poll.result === 'other' || trouble === 'repeated'))
        poll.result = resultOf(await response.clone().json())
      return response
    } finally {
      if (poll) poll.until = this.#at()
    }
  }

  #poll(): Poll {
    const at = this.#at()
    const { trouble } = this.#entry.fault
    const isHit = trouble !== undefined && !this.#isMet && at >= FAULT_FROM
    this.#isMet ||= isHit
    const poll: Poll = { at, until: at, result: isHit ? 'fault' : 'other' }
    this.#polls.push(poll)
    return poll
  }

  async #travel(request: Request, trouble: Trouble | undefined, sleeps: number): Promise<Response> {
    await this.#wait(LATENCY)
    if (trouble === 'unanswered') {
      await this.#wait(HEADERS_TIMEOUT)
      throw failed('Headers Timeout Error')
    }
    if (sleeps > 0) {
      this.#gap = [this.#at(), this.#at() + sleeps]
      this.#asleepUntil = this.#time.now + sleeps * 1000
    }
    const release = this.#time.hold()
    const response = this.#entry.connection.send(request, trouble).finally(release)
    // The response or the error is noticed later.
    response.catch(() => undefined)
    await response.catch(() => undefined)
    await this.#wait(LATENCY + sleeps)
    return response
  }

  #wait(seconds: number): Promise<void> {
    return new Promise((resolve) => this.#clock.setTimeout(() => resolve(), seconds * 1000))
  }

  #at(): number {
    return Math.round((this.#time.now - this.#begin) / 100) / 10
  }
}

function resultOf({ error, access_token }: Readonly<Record<string, unknown>>): Poll['result'] {
  if (access_token !== undefined) return 'token'
  return error === 'slow_down' ? 'slow_down' : 'pending'
}
