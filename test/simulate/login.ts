import type { DeviceResult } from '../../machines/device-context.ts'
import {
  createDeviceAuthorization,
  resumeDeviceAuthorization,
} from '../../src/client/create-device-authorization.ts'
import type {
  DeviceAuthorizationActor,
  ResumeOptions,
  ResumeRecord,
  ShownCodes,
} from '../../src/client/options.ts'
import { exportResume } from '../../src/client/resume.ts'
import { dpop } from '../../src/dpop/dpop.ts'
import { DEVICE_CODE_PATH } from '../../src/protocol/endpoints.ts'
import { github } from '../../src/protocol/providers.ts'
import { errorCodeOf, memberOf, readBody } from '../../src/request/http.ts'
import type { Clock } from '../../src/request/options.ts'
import { Secret } from '../../src/secret.ts'
import { type BoundToken, learn, prove, RESOURCE } from './bound.ts'
import { Host } from './host.ts'
import { AUTH_URL, clientOf } from './instance.ts'
import { grantKey } from './judge/grants.ts'
import { LONGEST_REQUEST } from './judge/judge.ts'
import { ask, send } from './network.ts'
import { decide } from './user.ts'
import type { Exchange } from './world.ts'

const PROVIDER = github({ authUrl: AUTH_URL, baseUrl: AUTH_URL })

/** Milliseconds by which timers may be early: for one wait, and for all waits of a login. */
const EARLY = 3
const EARLY_IN_ALL = 300

/** Milliseconds of the longest poll. */
const LONGEST_POLL = 30_000

/** One device with its user, from the request for codes to a token that is used. */
export class Login extends Host<number> {
  /** The network that it is counted for. */
  readonly address = `10.${(this.number >> 16) & 255}.${(this.number >> 8) & 255}.${this.number & 255}`
  /** The user who decides first. */
  readonly user = `user-${this.number}`
  status: DeviceResult['status'] | undefined
  token = ''
  error = ''
  grantKey: string | undefined
  /** The last fault that was played on it. */
  fault: { readonly why: string; readonly at: number } | undefined
  /** When its requests failed, and when a poll that was sent twice lost its token. */
  readonly failedAt: number[] = []
  readonly #rate = 1 + this.#between(-this.world.profile.drift, this.world.profile.drift, 'drift')
  /** By how much its clock is wrong. */
  readonly #wrong = this.#between(-1, 1, 'clock') * 3_600_000 * Math.sign(this.world.profile.drift)
  readonly #clock: Clock = {
    now: () => this.world.start + this.#wrong + this.#step + this.#elapsed(),
    setTimeout: (callback, delay) => this.world.after(delay / this.#rate, callback),
    clearTimeout: (timer) => this.world.clear(timer),
  }
  #actor: DeviceAuthorizationActor | undefined
  /** All in milliseconds of the device, as its timers count them. */
  #expiresAt = Number.POSITIVE_INFINITY
  #askedAt = 0
  #lastPollAt = Number.NEGATIVE_INFINITY
  /** Seconds between two polls, as the device was told. */
  #interval = 0
  #wasToldOfEnd = false
  #mayWait = 0
  /** By how much its clock was set. */
  #step = 0
  #wasOff = 0
  /** Whether the service has asked for a nonce: the same request comes again at once. */
  #isChallenged = false
  /** Its token, where it is bound to a key. */
  #bound: BoundToken | undefined

  begin(): void {
    const { decides, lifetime, steps, restarts } = this.world.profile
    this.world.judge.logins.set(this.number, this)
    this.note('begins')
    this.#run()
    const sometime = (what: string, run: () => void) => {
      const seconds = this.#between(1, Math.min(decides[1], lifetime) / 2, what)
      this.world.after(seconds * 1000, () => this.status === undefined && run())
    }
    if (this.#happens(steps, 'steps')) sometime('step', () => this.#setClock())
    else if (this.#happens(restarts, 'restarts')) sometime('restart', () => this.#restart())
  }

  /** What its token is for: two of three logins are for an API. */
  get resource(): string | undefined {
    return this.world.bound && this.number % 3 > 0 ? RESOURCE : undefined
  }

  /** Why a decision has not reached it. */
  excuseSince(decidedAt: number): string | undefined {
    if (this.fault && this.fault.at >= decidedAt) return `no poll got through: ${this.fault.why}`
    if (this.#step !== 0) return 'the clock of the device was set'
    const left = this.#expiresAt - this.#lastPollAt
    return left < this.#interval * 1000 + EARLY_IN_ALL ? 'slow_down left no time for a poll' : undefined
  }

  #run(resume?: ResumeRecord): void {
    const { number } = this
    const { clientId, ...authentication } = clientOf(number % 2 === 1)
    const options: ResumeOptions = {
      ...authentication,
      ...(this.world.bound && { dpop: dpop() }),
      provider: PROVIDER,
      fetch: (address, init) => this.#fetch(String(address), init),
      clock: this.#clock,
      random: () => this.world.choices.number(number, 'jitter'),
      onCodes: (codes) => resume ?? this.#decide(codes),
    }
    const actor = resume
      ? resumeDeviceAuthorization(resume, options)
      : createDeviceAuthorization({
          ...options,
          clientId,
          scopes: [`login:${number}`],
          resource: this.resource,
        })
    this.#actor = actor
    actor.subscribe({
      complete: () => {
        const { status, output } = actor.getSnapshot()
        if (status === 'done') this.#end(output as DeviceResult)
      },
      error: (error) => this.world.fail(number, `the machine has a defect: ${error}`),
    })
    actor.start()
  }

  async #fetch(address: string, { body, headers, signal }: RequestInit = {}): Promise<Response> {
    const path = address.slice(AUTH_URL.length)
    const kind = path === DEVICE_CODE_PATH ? 'codes' : 'poll'
    const { dpop: proof } = (headers ?? {}) as Record<string, string>
    const about = { address: this.address, grant: this.grantKey, proof }
    const exchange = this.world.begin(this.number, kind, about)
    this.#sends(exchange)
    const { bound } = this.world
    if (kind === 'poll' && this.world.choices.happens(0.2, 'thief', exchange.id))
      this.world.after(
        this.world.choices.between(10, 9000, 'steals', exchange.id),
        () => void bound?.steal(this.number, String(body)),
      )
    try {
      const response = await send(
        this.world,
        exchange,
        ask(this.world, path, { body: String(body), dpop: proof }),
        signal,
      )
      this.#receives(kind, response, readBody(await response.text()))
      return response
    } catch (error) {
      this.#faults(signal?.aborted ? 'no response in time' : 'the connection broke')
      throw error
    }
  }

  #sends({ kind, id }: Exchange): void {
    this.note(`sends ${kind} ${id}`)
    const now = this.#elapsed()
    const isRepeated = this.#isChallenged
    this.#isChallenged = false
    if (isRepeated) return
    if (kind === 'codes') {
      this.#askedAt = now
      return
    }
    const waited = now - this.#lastPollAt
    const early = this.#interval * 1000 - waited
    const late = waited - this.#mayWait - this.#wasOff
    const over = this.#step !== 0 ? 0 : now - this.#expiresAt
    this.world.check(early <= EARLY, `a poll was ${early} ms early`, this.number)
    this.world.check(late <= 0, `a poll was ${late} ms late`, this.number)
    this.world.check(over <= EARLY, `a poll was sent ${over} ms after the codes expired`, this.number)
    this.#waits(LONGEST_POLL)
  }

  /** From now on counts the wait for the next poll: no shorter than the interval, and no longer than this. */
  #waits(longest: number): void {
    this.#lastPollAt = this.#elapsed()
    this.#mayWait = longest
  }

  #receives(kind: Exchange['kind'], { status, headers }: Response, body: unknown): void {
    const error = errorCodeOf(body)
    const deviceCode = memberOf(body, 'device_code')
    const interval = Number(memberOf(body, 'interval'))
    this.note(`receives ${status} ${error ?? ''}`)
    if (status >= 429 || body === undefined) {
      this.#faults(`status ${status}`, Number(headers.get('retry-after') ?? 0))
      return
    }
    if (kind === 'codes' && typeof deviceCode === 'string') {
      this.grantKey = grantKey(deviceCode)
      this.#interval = interval
      const lifetime = Number(memberOf(body, 'expires_in')) * 1000
      // A request for codes that seems to take longer is taken for a clock that was set.
      const longest = Math.min(LONGEST_POLL, lifetime / 4)
      this.#expiresAt = Math.max(this.#askedAt, this.#elapsed() - longest) + lifetime
    }
    this.#isChallenged = error === 'use_dpop_nonce'
    if (this.#isChallenged) return
    // Its copy came first.
    if (error === 'invalid_dpop_proof') {
      this.#faults(error)
      return
    }
    if (error === 'expired_token') this.#wasToldOfEnd = true
    if (error === 'slow_down') {
      this.world.check(interval > this.#interval, `slow_down told an interval of ${interval} s`, this.number)
      this.#interval = Math.max(this.#interval + 5, interval)
    }
    this.#waits(this.#interval * 2000 + 100)
  }

  #faults(what: string, retryAfter = 0): void {
    this.note(what)
    this.failedAt.push(this.world.now)
    // A fault lasts until the device gives up.
    if (this.fault) this.world.judge.faulted(this.number, this.fault.why)
    this.#waits(Math.max(60_000, this.#interval * 2000, retryAfter * 1000) * 1.11)
  }

  #decide({ userCode }: ShownCodes): void {
    const { decides, revocations } = this.world.profile
    decide(this.world, this, userCode)
    // The host may revoke before the device has its token.
    const seconds = this.#between(decides[0], decides[1] + 5, 'revokes early')
    if (this.#happens(revocations / 2, 'early'))
      this.world.after(seconds * 1000, () => void this.world.revoke(this.number, { user: this.user }))
  }

  #setClock(): void {
    this.#step = this.#between(-1, 1, 'by') * 3_600_000
    this.world.count('fault', 'device: clock set')
    this.world.judge.faulted(this.number, 'its clock was set')
    this.note(`its clock is set by ${(this.#step / 1000).toFixed(0)} s`)
  }

  /** The process ends, and another one resumes after some seconds. */
  #restart(): void {
    const snapshot = this.#actor?.getSnapshot()
    if (snapshot?.context.codes === undefined) return
    const record = exportResume(snapshot, this.#clock.now())
    this.world.count('fault', 'device: restart')
    this.world.judge.faulted(this.number, 'it was restarted')
    this.note('stops')
    this.#actor?.stop()
    this.#wasOff = this.#between(100, 8000, 'off')
    this.world.after(this.#wasOff, () => {
      this.note('resumes')
      this.#run(record)
    })
  }

  #end(result: DeviceResult): void {
    this.status = result.status
    if (result.status === 'authorized') {
      const { accessToken, dpopKey: key } = result.token
      this.token = accessToken.reveal()
      if (key) this.#bound = { token: this.token, key, resource: this.resource }
    }
    if (result.status === 'failed') {
      this.error = `${result.error.code} ${result.error.message}`
      this.world.judge.logged('the error of a device', result.error)
    }
    this.note(`ends ${result.status} ${this.error}`)
    this.world.count('end', result.status)
    // One that is over by the device's own reckoning ends no sooner and no later than it was told.
    const late = this.#elapsed() - this.#expiresAt
    const isRight = late >= -EARLY_IN_ALL && late <= LONGEST_POLL + this.#wasOff
    const isTold = result.status !== 'expired' || this.#wasToldOfEnd || this.#step !== 0
    this.world.check(isTold || isRight, `the device gave up ${late} ms after the codes expired`, this.number)
    this.world.after(LONGEST_REQUEST, () => this.world.judge.grants.ended(this))
    if (this.token !== '') void this.#use()
  }

  /** Shows the token to the service, and again once the host has revoked it. */
  async #use(): Promise<void> {
    await this.#show(5)
    const isUser = this.#happens(0.5, 'revokes user')
    if (this.#happens(this.world.profile.revocations, 'revokes'))
      await this.world.revoke(this.number, isUser ? { user: this.user } : { token: this.token })
    await this.#show(5)
  }

  /** Shows the token to the service, some time later: again where the network fails. */
  async #show(tries: number): Promise<void> {
    const { token, world } = this
    const shown = { token, by: this, stoodBefore: 0, arrivals: 0, end: 'under way' } as const
    const exchange = world.begin(this.number, 'user', { shown })
    await world.pause(world.choices.between(100, 30_000, 'use', exchange.id))
    const bound = this.#bound
    if (bound) await world.bound?.show(bound, this.number)
    // One for an API is not for the service.
    if (bound?.resource) return
    const url = `${AUTH_URL}/user`
    const proof =
      bound && (await prove(bound.key, { method: 'GET', url, token: new Secret(token), now: world.now }))
    const authorization = `${bound ? 'DPoP' : 'Bearer'} ${token}`
    const asking = ask(world, '/user', { method: 'GET', authorization, dpop: proof?.reveal() })
    const { made } = await send(world, exchange, asking).catch(() => ({ made: undefined }))
    const nonce = made?.headers['dpop-nonce']
    if (nonce) learn(url, { body: undefined, nonce, at: world.now })
    if ((made === undefined || made.status === 503 || nonce) && tries > 1) await this.#show(tries - 1)
  }

  #elapsed(): number {
    return (this.world.now - this.world.start) * this.#rate
  }

  #between(from: number, to: number, what: string): number {
    return this.world.choices.between(from, to, this.number, what)
  }

  #happens(chance: number, what: string): boolean {
    return this.world.choices.happens(chance, this.number, what)
  }
}
