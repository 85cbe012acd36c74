import type { DeviceResult } from '../../machines/device-context.ts'
import {
  createDeviceAuthorization,
  resumeDeviceAuthorization,
} from '../../src/client/create-device-authorization.ts'
import type { DeviceAuthorizationActor, ResumeOptions, ShownCodes } from '../../src/client/options.ts'
import { exportResume, type ResumeRecord } from '../../src/client/resume.ts'
import { DEVICE_CODE_PATH } from '../../src/protocol/endpoints.ts'
import { github } from '../../src/protocol/provider.ts'
import type { Clock } from '../../src/request/clock.ts'
import { errorCodeOf, memberOf, readBody } from '../../src/request/response.ts'
import { AUTH_URL, clientOf, newHost } from './instance.ts'
import { grantKey } from './judge/grants.ts'
import { ask, send } from './network.ts'
import { decide } from './user.ts'
import type { Exchange, World } from './world.ts'

const PROVIDER = github({ authUrl: AUTH_URL, baseUrl: AUTH_URL })

/** Milliseconds by which timers may be early: for one wait, and for all waits of a login. */
const EARLY = 3
const EARLY_IN_ALL = 300

/** Milliseconds of the longest poll. */
const LONGEST_POLL = 30_000

/** One device with its user, from the request for codes to a token that is used. */
export class Login {
  readonly number: number
  /** The network that it is counted for. */
  readonly address: string
  status: DeviceResult['status'] | undefined
  token = ''
  error = ''
  grantKey: string | undefined
  /** Seconds between two polls, as the device was told. */
  interval = 0
  /** The last fault that was played on it. */
  fault: { readonly why: string; readonly at: number } | undefined
  /** When it last gave up a request. */
  readonly failedAt: number[] = []
  wasToldOfEnd = false
  readonly #world: World
  readonly #rate: number
  readonly #clock: Clock
  #actor: DeviceAuthorizationActor | undefined
  /** All in milliseconds of the device, as its timers count them. */
  #expiresAt = Number.POSITIVE_INFINITY
  #askedAt = 0
  #lastPollAt = Number.NEGATIVE_INFINITY
  #mayWait = 0
  /** By how much its clock was set. */
  #step = 0
  #wasOff = 0

  constructor(world: World, number: number) {
    const { choices, profile, start } = world
    this.#world = world
    this.number = number
    this.address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
    this.#rate = 1 + choices.between(-profile.drift, profile.drift, number, 'drift')
    const wrong = choices.between(-1, 1, number, 'clock') * 3_600_000 * Math.sign(profile.drift)
    this.#clock = {
      now: () => start + wrong + this.#step + this.#elapsed(),
      setTimeout: (callback, delay) => world.after(delay / this.#rate, callback),
      clearTimeout: (timer) => world.clear(timer),
    }
  }

  begin(): void {
    const { choices, profile } = this.#world
    this.#world.judge.logins.set(this.number, this)
    this.#note('begins')
    this.#run()
    if (choices.happens(profile.steps, this.number, 'steps')) this.#sometime('step', () => this.#setClock())
    else if (choices.happens(profile.restarts, this.number, 'restarts'))
      this.#sometime('restart', () => this.#restart())
  }

  get hadClockSet(): boolean {
    return this.#step !== 0
  }

  /** The user who decides first. */
  get user(): string {
    return `user-${this.number}`
  }

  /** Whether the service asked for so long a pause that the codes expire before the next poll. */
  get hasNoTimeLeft(): boolean {
    return this.#expiresAt - this.#lastPollAt < this.interval * 1000 + EARLY_IN_ALL
  }

  /** A code that is over by the device's own reckoning ends no sooner and no later than it was told. */
  checkEnd(): void {
    if (this.#step !== 0) return
    const late = this.#elapsed() - this.#expiresAt
    const isRight = late >= -EARLY_IN_ALL && late <= LONGEST_POLL + this.#wasOff
    this.#world.check(isRight, `the device gave up ${late} ms after the codes expired`, this.number)
  }

  #run(resume?: ResumeRecord): void {
    const { number } = this
    const { clientId, ...authentication } = clientOf(number % 2 === 1)
    const options: ResumeOptions = {
      ...authentication,
      provider: PROVIDER,
      fetch: (address, init) => this.#fetch(String(address), init),
      clock: this.#clock,
      random: () => this.#world.choices.number(number, 'jitter'),
      onCodes: (codes) => resume ?? this.#decide(codes),
    }
    const actor = resume
      ? resumeDeviceAuthorization(resume, options)
      : createDeviceAuthorization({ ...options, clientId, scopes: [`login:${number}`] })
    this.#actor = actor
    actor.subscribe({
      complete: () => {
        const { status, output } = actor.getSnapshot()
        if (status === 'done') this.#end(output as DeviceResult)
      },
      error: (error) => this.#world.fail(number, `the machine has a defect: ${error}`),
    })
    actor.start()
  }

  async #fetch(address: string, init: RequestInit = {}): Promise<Response> {
    const path = address.slice(AUTH_URL.length)
    const kind = path === DEVICE_CODE_PATH ? 'codes' : 'poll'
    const { address: network, grantKey: grant } = this
    const exchange = this.#world.begin(this.number, kind, { address: network, grant })
    this.#sends(exchange)
    try {
      const asking = ask(this.#world, path, { body: String(init.body) })
      const response = await send(this.#world, exchange, asking, init.signal)
      const text = await response.text()
      this.#receives(kind, response, readBody(text))
      return response.bodyUsed ? new Response(text, response) : response
    } catch (error) {
      this.#faults(init.signal?.aborted ? 'no response in time' : 'the connection broke')
      throw error
    }
  }

  #sends(exchange: Exchange): void {
    this.#note(`sends ${exchange.kind} ${exchange.id}`)
    if (exchange.kind === 'codes') {
      this.#askedAt = this.#elapsed()
      return
    }
    const now = this.#elapsed()
    const waited = now - this.#lastPollAt
    const early = this.interval * 1000 - waited
    const late = waited - this.#mayWait - this.#wasOff
    const over = this.#step === 0 ? now - this.#expiresAt : 0
    this.#world.check(early <= EARLY, `a poll was ${early} ms early`, this.number)
    this.#world.check(late <= 0, `a poll was ${late} ms late`, this.number)
    this.#world.check(over <= EARLY, `a poll was sent ${over} ms after the codes expired`, this.number)
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
    this.#note(`receives ${status} ${error ?? ''}`)
    const retryAfter = Number(headers.get('retry-after') ?? 0)
    if (status >= 429 || body === undefined) {
      this.#faults(`status ${status}`, retryAfter)
      return
    }
    if (kind === 'codes' && typeof deviceCode === 'string') {
      this.grantKey = grantKey(deviceCode)
      this.interval = Number(memberOf(body, 'interval'))
      const lifetime = Number(memberOf(body, 'expires_in')) * 1000
      // A request for codes that seems to take longer is taken for a clock that was set.
      this.#expiresAt =
        Math.max(this.#askedAt, this.#elapsed() - Math.min(LONGEST_POLL, lifetime / 4)) + lifetime
    }
    if (error === 'expired_token') this.wasToldOfEnd = true
    if (error === 'slow_down') {
      const told = Number(memberOf(body, 'interval'))
      this.#world.check(told > this.interval, `slow_down told an interval of ${told} s`, this.number)
      this.interval = Math.max(this.interval + 5, told)
    }
    this.#waits(this.interval * 2000 + 100)
  }

  #faults(what: string, retryAfter = 0): void {
    this.#note(what)
    this.failedAt.push(this.#world.now)
    // A fault lasts until the device gives up.
    if (this.fault) this.#world.judge.faulted(this.number, this.fault.why)
    this.#waits(Math.max(60_000, this.interval * 2000, retryAfter * 1000) * 1.11)
  }

  #decide({ userCode }: ShownCodes): void {
    const { choices, profile } = this.#world
    decide(this.#world, this, userCode)
    // The host may revoke before the device has its token.
    const seconds = choices.between(profile.decides[0], profile.decides[1] + 5, this.number, 'revokes early')
    if (choices.happens(profile.revocations / 2, this.number, 'early'))
      this.#world.after(seconds * 1000, () => void this.#world.revoke(this.number, { user: this.user }))
  }

  #setClock(): void {
    this.#step = this.#world.choices.between(-1, 1, this.number, 'by') * 3_600_000
    this.#world.count('device: clock set')
    this.#world.judge.faulted(this.number, 'its clock was set')
    this.#note(`its clock is set by ${(this.#step / 1000).toFixed(0)} s`)
  }

  /** The process ends, and another one resumes after some seconds. */
  #restart(): void {
    const snapshot = this.#actor?.getSnapshot()
    if (snapshot?.context.codes === undefined) return
    const record = exportResume(snapshot, this.#clock.now())
    this.#world.count('device: restart')
    this.#world.judge.faulted(this.number, 'it was restarted')
    this.#note('stops')
    this.#actor?.stop()
    this.#wasOff = this.#world.choices.between(100, 8000, this.number, 'off')
    this.#world.after(this.#wasOff, () => {
      this.#note('resumes')
      this.#run(record)
    })
  }

  #sometime(what: string, run: () => void): void {
    const { choices, profile } = this.#world
    const seconds = choices.between(1, Math.min(profile.decides[1], profile.lifetime) / 2, this.number, what)
    this.#world.after(seconds * 1000, () => this.status === undefined && run())
  }

  #end(result: DeviceResult): void {
    this.status = result.status
    if (result.status === 'authorized') this.token = result.token.accessToken.reveal()
    if (result.status === 'failed') {
      this.error = `${result.error.code} ${result.error.message}`
      this.#world.judge.logged('the error of a device', result.error)
    }
    this.#note(`ends ${result.status} ${this.error}`)
    this.#world.judge.grants.ended(this)
    if (this.token !== '') void this.#use()
  }

  /** Shows the token to the service, and again once the host has revoked it. */
  async #use(): Promise<void> {
    const { choices, profile } = this.#world
    await this.#show(5)
    const isUser = choices.happens(0.5, this.number, 'revokes user')
    if (choices.happens(profile.revocations, this.number, 'revokes'))
      await this.#world.revoke(this.number, isUser ? { user: this.user } : { token: this.token })
    await this.#show(5)
  }

  /** Shows the token to the service, some time later: again where the network fails. */
  async #show(tries: number): Promise<void> {
    const world = this.#world
    const { token } = this
    const shown = { token, by: newHost('device'), stoodBefore: 0, arrivals: 0, end: 'under way' } as const
    const exchange = world.begin(this.number, 'user', { shown })
    await world.pause(world.choices.between(100, 30_000, 'use', exchange.id))
    const asking = ask(world, '/user', { method: 'GET', authorization: `Bearer ${token}` })
    const { made } = await send(world, exchange, asking).catch(() => ({ made: undefined }))
    if ((made === undefined || made.status === 503) && tries > 1) await this.#show(tries - 1)
  }

  #elapsed(): number {
    return (this.#world.now - this.#world.start) * this.#rate
  }

  #note(text: string): void {
    this.#world.note(this.number, 'device', text)
  }
}
