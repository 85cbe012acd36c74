import { isDue } from '../../machines/session.ts'
import { importToken, type OAuthToken } from '../../src/index.ts'
import { createSession, memoryStore, type Session, type SessionStore } from '../../src/session/index.ts'
import { readSession, type SessionRecord, signedIn } from '../../src/session/session-record.ts'
import type { Json } from '../../src/store/store.ts'
import { storeFault } from '../../src/testing/paths/session-walk.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { rotatingProvider } from '../session/support/rotating-provider.ts'

/** What may go wrong, and what users do, each of which is counted: a walk is bounded by their number. */
export const FAULTS = [
  'response lost',
  'request lost',
  'sent twice',
  'no response for 30 seconds',
  'store failed',
  'killed',
  'stopped for a minute',
  'logout',
  'new login',
] as const

export type Fault = (typeof FAULTS)[number]

/** One thing that happens to one of the sessions (0 or 1), or to both. */
export interface Step {
  readonly session: number
  readonly does: string
  readonly fault?: Fault
  readonly run: () => unknown
}

/** A request on its way. `handled`: the provider has handled it, and its response is on its way back. */
interface OpenRequest {
  readonly url: string
  readonly body: string
  readonly resolve: (response: Response) => void
  readonly reject: (error: Error) => void
  handled?: Response
  answer?: string
}

/** A process with a session. */
interface Process {
  readonly session: Session
  readonly time: VirtualTime
  held: { readonly run: () => void; readonly fail: () => void } | undefined
  open: OpenRequest | undefined
  isKilled: boolean
}

const NAME = 'default'
const HOUR = 3_600_000
const LOST = new TypeError('fetch failed')

/**
 * Two processes with a session each, one store, and one provider that rotates refresh tokens. Every update of the store,
 * every request and every response waits for its step, so that anything can happen between any two of them.
 */
export class TwoSessions {
  now = Date.UTC(2026, 0, 1)
  readonly provider: ReturnType<typeof rotatingProvider>
  readonly processes: readonly Process[]
  /** Requests that arrive though their senders have given up. */
  readonly #late: OpenRequest[] = []
  readonly #records = memoryStore()
  /** Broken rules. */
  readonly broken: string[] = []
  record: SessionRecord | undefined

  readonly #window: number

  constructor(reuseWindow: number) {
    this.#window = reuseWindow * 1000
    this.provider = rotatingProvider({ clock: this.#clock(), reuseWindow })
    this.processes = [this.#start(0), this.#start(1)]
  }

  /** Both have read a login whose token has expired. */
  static async begin(reuseWindow: number): Promise<TwoSessions> {
    const world = new TwoSessions(reuseWindow)
    const pair = await world.#newPair()
    const kept = { login: 'first', generation: 0, token: pair, sentAt: world.now - HOUR }
    world.record = signedIn(kept, world.provider.provider)
    await world.#records.update(NAME, () => ({ result: undefined, value: world.record as NonNullable<Json> }))
    for (const { held } of world.processes) held?.run()
    for (const process of world.processes) process.held = undefined
    await world.settle()
    return world
  }

  async take(step: Step): Promise<void> {
    await step.run()
    await this.settle()
    this.#check()
  }

  end(): void {
    for (const { session } of this.processes) session.actor.stop()
  }

  /** Lets everything run that waits for no step. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }

  /** Whether nothing is on its way. */
  get isAtRest(): boolean {
    const isIdle = ({ held, open, isKilled, session }: Process) =>
      isKilled ||
      (held === undefined &&
        open === undefined &&
        session.actor.getSnapshot().hasTag('settled') &&
        !this.#isUnsettled(session))
    return this.#late.length === 0 && this.processes.every(isIdle)
  }

  #isUnsettled(session: Session): boolean {
    return session.actor.getSnapshot().matches('unsettled')
  }

  /** Every step that can be taken now. */
  steps(): Step[] {
    return [
      ...this.processes.flatMap((process, index) => (process.isKilled ? [] : this.#stepsOf(process, index))),
      ...this.#late.map((request, index) => ({
        session: 2,
        does: `late request for ${this.#tokenIn(request)} arrives`,
        run: () => {
          this.#late.splice(index, 1)
          return this.#arrive(request)
        },
      })),
      ...this.#timeSteps(),
    ]
  }

  #timeSteps(): Step[] {
    const areBusy = this.processes.some(({ held, open, isKilled }) => !isKilled && (held || open))
    const stop: Step[] = areBusy
      ? [{ session: 2, does: 'both', fault: 'stopped for a minute', run: () => this.#pass(60_000) }]
      : []
    const areGood = this.processes.every(
      ({ session, isKilled }) => isKilled || !isDue(session.actor.getSnapshot().context, this.now),
    )
    const isFresh = this.isAtRest && areGood && this.processes.some(({ isKilled }) => !isKilled)
    return isFresh ? [...stop, { session: 2, does: 'an hour passes', run: () => this.#pass(HOUR) }] : stop
  }

  #stepsOf(process: Process, index: number): Step[] {
    const { session, held, open, time } = process
    const { value, context } = session.actor.getSnapshot()
    const step = (does: string, run: () => unknown, fault?: Fault): Step => ({
      session: index,
      does,
      run,
      ...(fault && { fault }),
    })
    const send = (type: 'need' | 'logout') => () => session.actor.send({ type })
    const steps: Step[] = []
    if (held) {
      const done = () => {
        process.held = undefined
      }
      steps.push(
        step('store', () => (done(), held.run())),
        step('store', () => (done(), held.fail()), 'store failed'),
      )
    }
    if (open && open.handled === undefined)
      steps.push(
        step('request arrives', () => this.#arrive(open)),
        step('request', () => this.#lose(process), 'request lost'),
        step('request', () => this.#arrive(open).then(() => this.#arrive(open)), 'sent twice'),
        step('request', () => this.#fallSilent(process), 'no response for 30 seconds'),
      )
    if (open?.handled)
      steps.push(
        step('response received', () => {
          process.open = undefined
          open.resolve(open.handled as Response)
        }),
        step('response', () => this.#lose(process), 'response lost'),
        step('response', () => this.#fallSilent(process), 'no response for 30 seconds'),
      )
    const isDueNow = isDue(context, this.now)
    const isResting = value === 'signedIn' && this.now < context.restsUntil
    const isAtHand = value === 'signedIn' || value === 'unsettled'
    const hasOther =
      ['signedOut', 'ended', 'unavailable'].includes(value) && this.record?.status === 'signedIn'
    if (isResting) steps.push(step('rests', () => this.#pass(context.restsUntil - this.now)))
    if ((isAtHand && isDueNow && !isResting) || hasOther) steps.push(step('needs a token', send('need')))
    if (value === 'waiting' || value === 'unsettled')
      steps.push(step('tries again', () => this.#fire(process)))
    if (value === 'waiting') steps.push(step('loses patience', () => this.#losePatience(process)))
    if (!['erasing', 'revoking', 'signedOut'].includes(value))
      steps.push(step('user', send('logout'), 'logout'))
    if (['signedIn', 'ended', 'signedOut'].includes(value))
      steps.push(
        step(
          'user',
          async () => session.actor.send({ type: 'keep', token: await this.#newPair() }),
          'new login',
        ),
      )
    if (value !== 'signedOut' || held || open)
      steps.push(step('process', () => this.#kill(process), 'killed'))
    void time
    return steps
  }

  async #arrive(request: OpenRequest): Promise<void> {
    request.handled = await this.provider.fetch(request.url, { body: request.body })
    const { refresh_token, error } = await request.handled
      .clone()
      .json()
      .catch(() => ({}))
    request.answer = refresh_token ?? error ?? ''
  }

  #lose(process: Process): void {
    const { open } = process
    process.open = undefined
    open?.reject(LOST)
  }

  /** The client gives up after 30 seconds. A request that the provider has not received may still arrive. */
  async #fallSilent(process: Process): Promise<void> {
    const { open } = process
    process.open = undefined
    if (open && open.handled === undefined) this.#late.push(open)
    const end = this.now + 30_000
    while (process.time.step(end)) {
      this.#pass(process.time.now - this.now)
      await this.settle()
      if (process.open) break
    }
  }

  #kill(process: Process): void {
    process.isKilled = true
    if (process.open && process.open.handled === undefined) this.#late.push(process.open)
    process.held = undefined
    process.open = undefined
    process.session.actor.stop()
  }

  #fire({ time }: Process): void {
    time.step()
    this.#pass(time.now - this.now)
  }

  async #losePatience(process: Process): Promise<void> {
    const is = (...states: string[]) => states.includes(process.session.actor.getSnapshot().value)
    while (is('waiting', 'claiming')) {
      if (is('waiting')) this.#fire(process)
      process.held?.run()
      process.held = undefined
      await this.settle()
    }
  }

  #pass(milliseconds: number): void {
    this.now += milliseconds
    for (const { time } of this.processes) time.now = this.now
  }

  #clock() {
    return {
      now: () => this.now,
      setTimeout: () => undefined,
      clearTimeout: () => undefined,
    }
  }

  #start(index: number): Process {
    const time = new VirtualTime()
    time.now = this.now
    const process = { time, held: undefined, open: undefined, isKilled: false } as unknown as {
      -readonly [Key in keyof Process]: Process[Key]
    }
    const owners = {
      self: `process ${index}`,
      isGone: (owner: string) => this.processes[Number(owner.at(-1))]?.isKilled,
      pidOf: () => 4711,
    }
    const store: SessionStore = {
      owners,
      update: (key, change) =>
        new Promise((resolve, reject) => {
          process.held = {
            run: () => resolve(this.#update(key, change)),
            fail: () => reject(storeFault()),
          }
        }),
    }
    process.session = createSession({
      clientId: 'id',
      provider: this.provider.provider,
      store,
      clock: time.clock(),
      random: () => 0,
      fetch: (input, init) => this.#send(process, index, String(input), init),
    })
    return process
  }

  #update: SessionStore['update'] = async (key, change) => {
    const result = await this.#records.update(key, change)
    const before = this.record
    this.record = readSession(await this.#records.update(key, (value) => ({ result: value })))
    this.#checkWrite(before, this.record)
    return result
  }

  #send(process: Process, index: number, url: string, init: RequestInit | undefined): Promise<Response> {
    return new Promise((resolve, reject) => {
      const request = { url, body: String(init?.body), resolve, reject }
      process.open = request
      if (request.body.includes('grant_type=refresh_token')) this.#checkSpending(process, index, request)
      init?.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
    })
  }

  async #newPair() {
    const response = await this.provider.fetch('https://provider.example/login/oauth/access_token', {})
    const { access_token, refresh_token, expires_in } = await response.json()
    return importToken({
      v: 1,
      accessToken: access_token,
      refreshToken: refresh_token,
      expiresIn: expires_in,
      expiresAt: this.now + expires_in * 1000,
      tokenType: 'bearer',
      scopes: [],
      missingScopes: [],
    })
  }

  /** Names everything that a later step depends on, but the time: two worlds with one name go on alike. */
  get name(): string {
    const [first, second] = this.processes.map((process, index) => this.#nameOf(process, index))
    const late = this.#late.map((request) => this.#relative(this.#tokenIn(request))).sort()
    const owner = this.record?.status === 'signedIn' ? this.record.claim?.owner : undefined
    const isMirrored = (first ?? '') > (second ?? '')
    const holder =
      owner === undefined ? 'free' : owner.startsWith(`process ${isMirrored ? 1 : 0}`) ? 'first' : 'second'
    const stored = this.record?.status === 'signedIn' ? `${this.#stored()} ${holder}` : this.record?.status
    const families = this.provider.families.map((family) => {
      const spentAt = family.spentAt.get(family.generation - 1) ?? 0
      return family.revoked ? 'revoked' : this.now < spentAt + this.#window ? 'replayable' : 'strict'
    })
    return [...[first, second].sort(), stored, ...families, ...late.map((token) => `late ${token}`)].join(
      ' | ',
    )
  }

  #nameOf({ session, held, open, isKilled }: Process, index: number): string {
    if (isKilled) return 'killed'
    const { value, context } = session.actor.getSnapshot()
    const { kept, result, leaving, repeated, restsUntil, revoking } = context
    const flags = [
      value,
      kept && `has ${this.#relative(refreshTokenOf(kept.token))}`,
      kept &&
        this.record?.status === 'signedIn' &&
        (kept.login !== this.record.login
          ? 'of another login'
          : kept.generation < this.record.generation && 'older'),
      result &&
        (result.type === 'token' || result.type === 'login'
          ? `holds ${this.#relative(refreshTokenOf(result.token))}`
          : result.type),
      isDue(context, this.now) && 'due',
      this.now < restsUntil && 'resting',
      leaving && 'leaving',
      repeated && 'repeated',
      value === 'revoking' && revoking.map((token) => this.#relative(refreshTokenOf(token))).join(),
      held && 'updating',
      open &&
        `${open.handled ? 'handled' : 'sent'} ${this.#relative(this.#tokenIn(open))} ${open.handled ? this.#answerOf(open) : ''}`,
    ]
    void index
    return flags.filter(Boolean).join(' ')
  }

  #answerOf(open: OpenRequest): string {
    return open.answer === undefined ? '' : this.#relative(open.answer)
  }

  #stored(): string {
    const token = Object(this.record).token as { readonly refreshToken?: string }
    return this.#relative(token.refreshToken ?? '')
  }

  /** A token by its family and by how many renewals it is behind. */
  #relative(token: string): string {
    const [, family = '', generation = ''] = token.split('-')
    if (generation === '') return token
    return `${family}:${Number(generation) - (this.provider.families[Number(family)]?.generation ?? 0)}`
  }

  /** How the login has ended, if it is over though no user wanted that; only asked at rest. */
  get loss(): string | undefined {
    if (this.record === undefined || this.record.status === 'signedOut') return undefined
    if (this.record.status === 'ended') return 'the provider has ended the login'
    const token = Object(this.record).token as { readonly refreshToken: string }
    const [, index = '', generation = ''] = token.refreshToken.split('-')
    const family = this.provider.families[Number(index)]
    if (family === undefined || family.revoked) return 'the provider has revoked the login'
    const behind = family.generation - Number(generation)
    const spentAt = family.spentAt.get(family.generation - 1) ?? 0
    if (behind === 0 || (behind === 1 && this.now < spentAt + this.#window)) return undefined
    return 'the stored refresh token is spent'
  }

  #tokenIn({ body }: OpenRequest): string {
    const fields = new URLSearchParams(body)
    return fields.get('refresh_token') ?? fields.get('token') ?? ''
  }

  // The rules.

  /** Rule 1: a refresh token is spent under the claim of the record, and by nobody else who lives. */
  #checkSpending(process: Process, index: number, request: OpenRequest): void {
    const token = this.#tokenIn(request)
    const { context } = process.session.actor.getSnapshot()
    const isInMemory = context.result?.type === 'token' || context.result?.type === 'login'
    const owner = this.record?.status === 'signedIn' ? this.record.claim?.owner : undefined
    if (!isInMemory && !owner?.startsWith(`process ${index}#`) && this.record?.status === 'signedIn')
      this.broken.push(`process ${index} spends ${token} without a claim`)
    const other = this.processes.find((candidate) => candidate !== process && !candidate.isKilled)
    if (other?.open && this.#tokenIn(other.open) === token && other.open.url === request.url)
      this.broken.push(`both processes spend ${token} at once`)
  }

  /** Rule 2: what is stored never goes back, and a logout is not undone. */
  #checkWrite(before: SessionRecord | undefined, after: SessionRecord | undefined): void {
    if (after?.status !== 'signedIn' || before === undefined || before === after) return
    if (before.status !== 'signedIn') {
      if (after.generation > 0 || after.login === 'first')
        this.broken.push('an ended login was written again')
    } else if (before.login === after.login && after.generation < before.generation)
      this.broken.push('an older generation was written')
  }

  /** Rules 3 and 4: a session that lives loses no pair, and only the provider ends a login. */
  #check(): void {
    if (this.record?.status === 'ended' && !this.provider.families.some(({ revoked }) => revoked))
      this.broken.push('the login was ended, and not by the provider')
  }
}

function refreshTokenOf({ refreshToken }: OAuthToken): string {
  return refreshToken?.reveal() ?? ''
}
