import { AuthgraphError } from '../../../src/errors.ts'
import type { Clock } from '../../../src/protocol/clock.ts'
import { github } from '../../../src/protocol/provider.ts'
import { createSession, type Session } from '../../../src/session/create-session.ts'
import type { Host } from '../simulation.ts'
import { REVOCATION_PATH, SERVICE_URL } from './rotating-service.ts'
import type { SessionWorld } from './session-world.ts'

const PROVIDER = {
  ...github({ authUrl: SERVICE_URL, baseUrl: SERVICE_URL }),
  revocationEndpoint: `${SERVICE_URL}${REVOCATION_PATH}`,
}

/** Milliseconds within which a call settles: two waits for a claim, two requests of 30 s each, and a device flow. */
const LONGEST_CALL = { token: 250_000, logout: 250_000, login: 1_000_000 }

/** Why a call may be rejected; a login is needed, another process is renewing, or the network or the store failed. */
const REASONS = [
  'login_required',
  'busy',
  'not_kept',
  'store_unavailable',
  'unreachable',
  'timed_out',
  'refused',
]

export type Act = keyof typeof LONGEST_CALL

/** A process with a session, which is started, called, stopped, resumed and killed. */
export class Program implements Host {
  readonly name: string
  readonly session: Session
  isDead = false
  stalledUntil = 0
  /** Milliseconds for which it has stood still. */
  stood = 0
  updates = 0
  requests = 0
  readonly #world: SessionWorld

  constructor(world: SessionWorld, name: string) {
    this.#world = world
    this.name = name
    const clock: Clock = {
      now: () => world.now,
      setTimeout: (callback, delay) => world.after(delay, callback, this),
      clearTimeout: (timer) => world.clear(timer),
    }
    this.note('starts')
    this.session = createSession({
      clientId: 'client',
      provider: PROVIDER,
      store: world.disk.storeOf(this),
      fetch: (address, init = {}) => world.service.fetch(this, String(address), init),
      clock,
      random: () => world.choices.number(name, 'jitter'),
    })
  }

  /** Whether its end would lose nothing. */
  get isIdle(): boolean {
    const snapshot = this.session.actor.getSnapshot()
    return snapshot.hasTag('settled') && !snapshot.matches('unsettled')
  }

  async act(what: Act): Promise<void> {
    const world = this.#world
    const { now: begun } = world
    const { stood } = this
    this.note(`calls ${what}`)
    let end: string
    try {
      const token = await this.session[what]()
      if (token && 'reveal' in token && this.stood === stood) world.judge.used(token.reveal())
      end = what
    } catch (error) {
      end = error instanceof AuthgraphError ? error.code : String(error)
      world.holds(REASONS.includes(end), world.number, `${what} was rejected: ${end}`)
    }
    const took = world.now - begun - (this.stood - stood)
    world.holds(took <= LONGEST_CALL[what], world.number, `${what} took ${took} ms`)
    world.ends.push(end)
    this.note(`${what} ends: ${end}`)
    if (
      end === 'login_required' &&
      what === 'token' &&
      world.choices.happens(0.5, 'logs in', this.name, begun)
    )
      await this.act('login')
  }

  kill(): void {
    this.isDead = true
    this.#world.count('process: kill')
    this.note('is killed')
  }

  /** Ends when nothing is in flight. */
  exit(): void {
    this.isDead = true
    this.note('exits')
  }

  freeze(milliseconds: number): void {
    if (this.isDead) return
    this.#world.count('process: freeze')
    this.note(`stands still for ${(milliseconds / 1000).toFixed(1)} s`)
    this.stood += milliseconds
    this.stalledUntil = this.#world.now + milliseconds
  }

  note(text: string): void {
    this.#world.note(this.#world.number, this.name, text)
  }
}
