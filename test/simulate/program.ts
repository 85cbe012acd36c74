import { formOf } from '../../src/auth/auth.ts'
import { AuthgraphError } from '../../src/errors.ts'
import { DEVICE_CODE_PATH } from '../../src/protocol/endpoints.ts'
import { github } from '../../src/protocol/providers.ts'
import { REVOCATION_PATH } from '../../src/protocol/service-paths.ts'
import type { Clock } from '../../src/request/options.ts'
import { Secret } from '../../src/secret.ts'
import { redisStore } from '../../src/service/stores/redis.ts'
import { createSession, type Session } from '../../src/session/create-session.ts'
import { SENDING_BOUND } from '../../src/session/session-actors.ts'
import type { SessionStore } from '../../src/session/session-store.ts'
import { Host } from './host.ts'
import { AUTH_URL, clientOf, observed } from './instance.ts'
import { grantKey } from './judge/grants.ts'
import { ask, send } from './network.ts'
import type { Processes } from './processes.ts'
import { connectToRedis } from './redis.ts'
import { decide } from './user.ts'
import type { Exchange, Shown, World } from './world.ts'

const PROVIDER = {
  ...github({ authUrl: AUTH_URL, baseUrl: AUTH_URL }),
  revocationEndpoint: AUTH_URL + REVOCATION_PATH,
}

/** The address of the machine on which all processes run. */
const ADDRESS = '10.0.0.1'

/** Milliseconds within which a call settles: two waits for a claim, two requests of 30 s each, and a device flow. */
const LONGEST_CALL = { token: 250_000, logout: 250_000, login: 1_000_000 }

/** The most by which the clocks of several hosts are wrong, and the pause after which a refresh is repeated. Milliseconds. */
export const SKEW = 20_000
const AT_ONCE = 2000

/** Why a call may be rejected; a login is needed, another process is renewing, or the network or the store failed. */
const REASONS = [
  'login_required',
  'busy',
  'not_kept',
  'store_unavailable',
  'unreachable',
  'timed_out',
  'refused',
  'bad_response',
]

export type Act = keyof typeof LONGEST_CALL

/** A process with a session, which is started, called, stopped, resumed and killed. */
export class Program extends Host {
  readonly session: Session
  /** When it last began an update, to write its claim before a refresh, and for how long it had stood still then. */
  #updatedAt = 0
  #stoodBefore = 0
  /** The last access token. */
  token = ''
  /** Refresh requests that were sent, and until when the next one would repeat one whose end is unclear. */
  #refreshes = 0
  #repeatsUntil = 0
  /** Its own logins under way, for which its other calls wait, and how often it has called `logout`. */
  #logins = 0
  #logouts = 0
  /** Whether a page of a proxy was taken for a revocation. */
  #wasMisled = false
  readonly #processes: Processes

  constructor(world: World, processes: Processes, id: string, machine: number) {
    super(world, id, world.first)
    const { first: number } = world
    this.#processes = processes
    const skew = processes.areApart ? world.choices.between(-SKEW, SKEW, 'machine', machine) : 0
    const clock: Clock = {
      now: () => world.now + processes.clockStep + skew,
      setTimeout: (callback, delay) => world.after(delay, callback, this),
      clearTimeout: (timer) => world.clear(timer),
    }
    this.note('starts')
    this.session = createSession({
      ...clientOf(processes.isConfidential),
      scopes: [`login:${number}`],
      provider: PROVIDER,
      name: 'session',
      store: this.#store(clock),
      fetch: (address, init = {}) => this.#fetch(String(address), init),
      clock,
      random: () => world.choices.number(id, 'jitter'),
      onCodes: ({ userCode }) => decide(world, { number, address: ADDRESS }, userCode),
    })
  }

  #store(clock: Clock): SessionStore {
    const world = this.world
    const { areApart, programs, store } = this.#processes
    const shared = observed(world, redisStore(connectToRedis(world, store, this), { clock }), () => this.id)
    return {
      update: (name, change) => {
        this.#updatedAt = world.now
        this.#stoodBefore = this.stood
        return shared.update(name, change)
      },
      owners: {
        self: this.id,
        isGone: (owner) =>
          areApart ? undefined : programs.every(({ id, isDead }) => isDead || id !== owner),
        pidOf: (owner) => Number(owner.split('.')[1]),
      },
    }
  }

  /** Whether its end would lose nothing. */
  get isIdle(): boolean {
    const snapshot = this.session.actor.getSnapshot()
    return snapshot.hasTag('settled') && !snapshot.matches('unsettled')
  }

  async act(what: Act): Promise<void> {
    const world = this.world
    const { isLast } = this.#processes
    const { now: begun } = world
    const { stood } = this
    this.note(`calls ${what}`)
    if (what === 'login') this.#logins += 1
    if (what === 'logout') this.#logouts += 1
    const logouts = this.#logouts
    const longest = LONGEST_CALL[this.#logins > 0 ? 'login' : what]
    let end: string = what
    try {
      const got = await this.session[what]()
      if (got instanceof Secret) {
        if (this.stood === stood) world.judge.tokens.used(got.reveal())
        this.token = got.reveal()
      } else if (what === 'logout') {
        world.judge.sessions.loggedOut(this, got?.revoked === true && !this.#wasMisled)
      }
      void this.#use()
    } catch (error) {
      end = error instanceof AuthgraphError ? error.code : String(error)
      if (what === 'logout') world.judge.sessions.loggedOut(this, false)
      const mayExpire = this.#processes.hadClockSet || world.hasHad('command: failover')
      const isRevoked = world.judge.tokens.revokedAt(`user-${world.first}`, 0) <= world.now
      const isKnown =
        REASONS.includes(end) ||
        (end === 'expired' && mayExpire) ||
        (end === 'cancelled' && this.#logouts > logouts) ||
        (end === 'denied' && isRevoked)
      world.check(isKnown, `${what} was rejected: ${end}`)
      const isLate = end === 'expired' && world.judge.grants.isSetBackSince(begun)
      world.check(!isLast || end === 'login_required' || isLate, `${what} fails without a fault: ${end}`)
    }
    if (what === 'login') this.#logins -= 1
    const took = world.now - begun - (this.stood - stood)
    world.check(took <= longest, `${what} took ${took} ms`)
    world.count('end', end)
    this.note(`${what} ends: ${end}`)
    const isNeeded = end === 'login_required' && what === 'token'
    if (isNeeded && world.choices.happens(0.5, 'logs in', this.id, begun)) await this.act('login')
  }

  /** Calls an API with the last token, also after a logout, and learns from its response, as `createApi` does. */
  async #use(): Promise<void> {
    if (this.token === '') return
    const authorization = `Bearer ${this.token}`
    const init = { method: 'GET', headers: { authorization } }
    const response = await this.#fetch(`${AUTH_URL}/user`, init).catch(() => undefined)
    if (response && formOf(this.session).learn?.(response, new Secret(authorization)))
      this.note('renews a refused token')
  }

  /** Carries a request to the service and its response back, which waits while this process stands still. */
  async #fetch(address: string, { method = 'POST', headers, body, signal }: RequestInit): Promise<Response> {
    const world = this.world
    const { stood } = this
    const path = address.slice(AUTH_URL.length)
    const fields = new URLSearchParams(String(body ?? ''))
    const { authorization } = headers as { readonly authorization?: string }
    const kinds: Readonly<Record<string, Exchange['kind']>> = {
      '/user': 'user',
      [DEVICE_CODE_PATH]: 'codes',
      [REVOCATION_PATH]: 'revoke',
    }
    const token = fields.get('refresh_token') ?? fields.get('token') ?? authorization?.slice('Bearer '.length)
    const kind = kinds[path] ?? (fields.has('refresh_token') ? 'refresh' : 'poll')
    const deviceCode = fields.get('device_code')
    const shown: Shown | undefined = token
      ? { token, by: this, stoodBefore: this.#stoodBefore, arrivals: 0, end: 'under way' }
      : undefined
    const grant = deviceCode ? grantKey(deviceCode) : undefined
    const exchange = world.begin(world.first, kind, { address: ADDRESS, shown, grant })
    const isRepeat = world.now <= this.#repeatsUntil
    if (kind === 'refresh') {
      world.judge.families.sends(exchange)
      this.#refreshes += 1
      this.#repeatsUntil = 0
    }
    this.note(`sends ${kind} ${exchange.id}`)
    const credentials = authorization && { authorization }
    const asking = ask(world, path, { method, body: String(body ?? ''), ...credentials })
    let end: Shown['end'] = 'unclear'
    let status = 0
    try {
      const response = await send(world, exchange, asking, signal).finally(() => world.pause(0, this))
      status = response.status
      const made = response.made?.status === 200 ? response.made.body : ''
      if (made.includes('"access_token"')) end = 'pair'
      else if (made.includes('"bad_refresh_token"')) end = 'refusal'
      this.#wasMisled ||= kind === 'revoke' && response.made === undefined
      return response
    } finally {
      if (shown) shown.end = end
      this.note(end)
      if (kind === 'refresh' && end === 'unclear' && status !== 429 && !isRepeat) this.#mustRepeat(stood)
    }
  }

  /** A request whose end is unclear is repeated once, at once: while the service still returns the same pair. */
  #mustRepeat(stood: number): void {
    const world = this.world
    this.#repeatsUntil = world.now + AT_ONCE
    // A claim that is too old is made again first, and so is any one that others may have taken over.
    const isOld = world.now >= this.#updatedAt + SENDING_BOUND
    if (isOld || this.#processes.areApart) return
    const sent = this.#refreshes
    void world.pause(AT_ONCE, this).then(() => {
      const isRepeated = this.#refreshes > sent
      const isExcused = this.stood > stood || this.#processes.hadClockSet
      world.check(isRepeated || isExcused, 'an unclear refresh was not repeated')
    })
  }
}
