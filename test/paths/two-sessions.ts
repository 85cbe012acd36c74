import { isDue } from '../../machines/session-selectors.ts'
import { importToken, type OAuthToken } from '../../src/index.ts'
import { createSession, memoryStore, type Session, type SessionStore } from '../../src/session/index.ts'
import { loginRecord, readSession, type SessionRecord } from '../../src/session/session-record.ts'
import type { Json } from '../../src/store/store.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { rotatingProvider } from '../session/support/rotating-provider.ts'
import { HeldStore } from './held-store.ts'

/** What goes wrong, and what a user does: a walk is bounded by their number. */
export type Fault =
  | 'request lost'
  | 'request sent twice'
  | 'response lost'
  | 'no response'
  | 'store failed'
  | 'killed'
  | 'suspended for a minute'
  | 'logout'
  | 'new login'

/** One thing that can happen. */
export interface Step {
  readonly told: string
  readonly fault?: Fault
  readonly run: () => unknown
}

/** A request on its way. Once the provider has handled it, its response is on its way back. */
interface OpenRequest {
  readonly url: string
  readonly body: string
  /** Epoch milliseconds. */
  readonly sentAt: number
  readonly resolve: (response: Response) => void
  readonly reject: (error: Error) => void
  handled?: { readonly response: Response; readonly says: string }
}

/** What the provider of two sessions allows, and how they see each other. */
export interface World {
  readonly reuseWindow: number
  readonly areApart: boolean
}

const NAME = 'default'

/** Milliseconds after which Node does not write the headers of a refresh request any more. */
const HEADERS_BOUND = 20_000
const HOUR = 3_600_000
const TOKEN_ENDPOINT = 'https://provider.example/login/oauth/access_token'

/** A process with a session. It advances only by steps. */
class Process {
  readonly letter: string
  readonly time = new VirtualTime()
  readonly store: HeldStore
  readonly session: Session
  open: OpenRequest | undefined
  isKilled = false

  constructor(
    world: TwoSessions,
    letter: string,
    update: SessionStore['update'],
    onRequest: (process: Process, request: OpenRequest) => void,
  ) {
    this.letter = letter
    this.time.now = world.now
    const isGone = (owner: string) => world.isGone(owner)
    this.store = new HeldStore({ self: letter, isGone, pidOf: () => undefined }, update)
    this.session = createSession({
      clientId: 'id',
      provider: world.provider.provider,
      store: this.store,
      clock: this.time.clock(),
      random: () => 0,
      fetch: (url, init) =>
        new Promise((resolve, reject) => {
          this.open = { url: String(url), body: String(init?.body), sentAt: world.now, resolve, reject }
          onRequest(this, this.open)
          init?.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
        }),
    })
  }

  get snapshot() {
    return this.session.actor.getSnapshot()
  }

  is(...states: string[]): boolean {
    return !this.isKilled && states.includes(this.snapshot.value)
  }

  /** Whether a request or an update waits for its step. */
  get isBusy(): boolean {
    return this.open !== undefined || this.store.isHeld
  }

  takeRequest(): OpenRequest | undefined {
    const { open } = this
    this.open = undefined
    return open
  }
}

/**
 * Two processes with a session each, one store, and a provider that rotates refresh tokens. Every update of the store,
 * every request and every response is a step, so that anything can happen between any two of them.
 */
export class TwoSessions {
  now = Date.UTC(2026, 0, 1)
  readonly provider: ReturnType<typeof rotatingProvider>
  /** The rules of sessions that were broken. */
  readonly broken: string[] = []
  readonly #window: number
  readonly #areApart: boolean
  readonly #processes: readonly Process[]
  readonly #records = memoryStore()
  #record: SessionRecord | undefined
  /** Requests that may arrive though their senders have given up, or were killed. */
  #late: OpenRequest[] = []

  /**
   * @param options.reuseWindow Seconds for which the provider returns the same successor for a token that was used.
   * @param options.areApart Whether no process can tell whether the other one is alive.
   */
  constructor({ reuseWindow, areApart }: World) {
    this.#window = reuseWindow * 1000
    this.#areApart = areApart
    const clock = { now: () => this.now, setTimeout: () => undefined, clearTimeout: () => undefined }
    this.provider = rotatingProvider({ clock, reuseWindow })
    this.#processes = ['A', 'B'].map(
      (letter) => new Process(this, letter, this.#update, (...sent) => this.#checkRequest(...sent)),
    )
  }

  /** Both sessions have read a login whose token has expired. */
  async begin(): Promise<this> {
    const kept = { login: 'first', generation: 0, token: await this.#newPair(), sentAt: this.now - HOUR }
    this.#record = loginRecord(kept, this.provider.provider)
    await this.#records.update(NAME, () => ({ result: undefined, value: this.#record as NonNullable<Json> }))
    for (const { store } of this.#processes) store.end('run')
    await settle()
    return this
  }

  async take({ run }: Step): Promise<void> {
    await run()
    await settle()
  }

  end(): void {
    for (const { session } of this.#processes) session.actor.stop()
  }

  isGone(owner: string): boolean | undefined {
    if (this.#areApart) return undefined
    return this.#processes.some(({ letter, isKilled }) => letter === owner && isKilled)
  }

  /** Whether nothing is on its way. */
  get isAtRest(): boolean {
    const isIdle = (process: Process) => process.isKilled || (!process.isBusy && isResting(process))
    return this.#late.length === 0 && this.#processes.every(isIdle)
  }

  /** Every step that can be taken now. */
  steps(): Step[] {
    const living = this.#processes.filter(({ isKilled }) => !isKilled)
    const steps = living.flatMap((process) => [
      ...this.#storeSteps(process),
      ...this.#wireSteps(process),
      ...this.#sessionSteps(process),
    ])
    const arriveLate = (request: OpenRequest) => {
      this.#late = this.#late.filter((other) => other !== request)
      return this.#arrive(request)
    }
    for (const request of this.#late)
      steps.push({ told: 'a late request arrives', run: () => arriveLate(request) })
    const stop = () => this.#passStopped(60_000)
    if (living.some(({ isBusy }) => isBusy))
      steps.push({
        told: 'both processes are suspended for a minute',
        fault: 'suspended for a minute',
        run: stop,
      })
    const isGood = ({ snapshot }: Process) =>
      snapshot.value === 'signedIn' && !isDue(snapshot.context, this.now)
    if (this.isAtRest && living.length > 0 && living.every(isGood))
      steps.push({ told: 'an hour passes', run: () => this.#pass(HOUR) })
    return steps
  }

  #storeSteps({ letter, store }: Process): Step[] {
    if (!store.isHeld) return []
    return [
      { told: `${letter} updates the store`, run: () => store.end('run') },
      { told: `${letter} cannot update the store`, fault: 'store failed', run: () => store.end('fail') },
    ]
  }

  #wireSteps(process: Process): Step[] {
    const { letter, open } = process
    if (open === undefined) return []
    const lose = () => process.takeRequest()?.reject(new TypeError('fetch failed'))
    const silence: Step = {
      told: `${letter} gets no response`,
      fault: 'no response',
      run: () => this.#fallSilent(process),
    }
    const { handled } = open
    if (handled)
      return [
        {
          told: `${letter} receives the response`,
          run: () => process.takeRequest()?.resolve(handled.response),
        },
        { told: `the response to ${letter} is lost`, fault: 'response lost', run: lose },
        silence,
      ]
    return [
      { told: `the request of ${letter} arrives`, run: () => this.#arrive(open) },
      { told: `the request of ${letter} is lost`, fault: 'request lost', run: lose },
      {
        told: `the request of ${letter} arrives twice`,
        fault: 'request sent twice',
        run: () => this.#arrive(open).then(() => this.#arrive(open)),
      },
      silence,
    ]
  }

  #sessionSteps(process: Process): Step[] {
    const { letter, session, snapshot } = process
    const { context } = snapshot
    const send = (type: 'need' | 'logout') => () => session.actor.send({ type })
    const isResting = process.is('signedIn') && this.now < context.restsUntil
    const canRefresh = process.is('signedIn', 'unsettled') && isDue(context, this.now) && !isResting
    const canRead = process.is('signedOut', 'ended', 'unavailable') && this.#record?.status === 'signedIn'
    const steps: Step[] = []
    if (canRefresh || canRead) steps.push({ told: `${letter} needs a token`, run: send('need') })
    if (isResting)
      steps.push({ told: `${letter} rests`, run: () => this.#pass(context.restsUntil - this.now) })
    if (process.is('unsettled') || (process.is('waiting') && !this.#areApart))
      steps.push({ told: `${letter} tries again`, run: () => this.#fire(process) })
    if (process.is('waiting')) steps.push(this.#wait(process))
    if (!process.is('signedOut', 'erasing', 'revoking'))
      steps.push({ told: `${letter} logs out`, fault: 'logout', run: send('logout') })
    if (process.is('signedIn', 'signedOut', 'ended'))
      steps.push({
        told: `${letter} logs in anew`,
        fault: 'new login',
        run: async () => session.actor.send({ type: 'keep', token: await this.#newPair() }),
      })
    return [...steps, { told: `${letter} is killed`, fault: 'killed', run: () => this.#kill(process) }]
  }

  /** A session waits until it has the claim, or gives up. If the claim lapses meanwhile, its owner was suspended or killed. */
  #wait(process: Process): Step {
    const { letter } = process
    const run = () => this.#losePatience(process)
    if (!this.#areApart) return { told: `${letter} waits no longer`, run }
    const busy = this.#processes.find((other) => other !== process && !other.isKilled && !isResting(other))
    if (busy === undefined) return { told: `${letter} waits until the claim lapses`, run }
    const told = `${busy.letter} is suspended while ${letter} waits until the claim lapses`
    return { told, fault: 'suspended for a minute', run }
  }

  async #arrive(request: OpenRequest): Promise<void> {
    const response = await this.provider.fetch(request.url, { body: request.body })
    const text = await response.text()
    const { refresh_token, error } = text === '' ? {} : JSON.parse(text)
    request.handled = { response: new Response(text, response), says: refresh_token ?? error ?? 'done' }
  }

  /** The client gives up, and sends the request again or not. The provider may still receive the first one. */
  #fallSilent(process: Process): void {
    this.#giveUp(process)
    while (process.time.timers > 0) this.#fire(process)
  }

  #giveUp(process: Process): void {
    const open = process.takeRequest()
    if (open && open.handled === undefined) this.#late.push(open)
  }

  #kill(process: Process): void {
    process.isKilled = true
    this.#giveUp(process)
    process.store.end('drop')
    process.session.actor.stop()
  }

  #fire({ time }: Process): void {
    time.step()
    this.#passStopped(time.now - this.now)
  }

  /** Node destroys the connections of requests that it has not begun to write. */
  #passStopped(milliseconds: number): void {
    this.#pass(milliseconds)
    if (!this.#areApart) return
    for (const process of this.#processes) {
      const { open } = process
      const isRefresh = open?.body.includes('grant_type=refresh_token')
      if (open && isRefresh && !open.handled && this.now >= open.sentAt + HEADERS_BOUND)
        process.takeRequest()?.reject(new TypeError('fetch failed'))
    }
  }

  async #losePatience(process: Process): Promise<void> {
    while (process.is('waiting', 'claiming')) {
      if (process.is('waiting')) this.#fire(process)
      process.store.end('run')
      await settle()
    }
  }

  #pass(milliseconds: number): void {
    this.now += milliseconds
    for (const { time } of this.#processes) time.now = this.now
  }

  async #newPair(): Promise<OAuthToken> {
    const response = await this.provider.fetch(TOKEN_ENDPOINT, {})
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

  /** Rule 2: what is stored never goes back, and an end is not undone. Rule 4: only the provider ends a login. */
  #update: SessionStore['update'] = async (key, change) => {
    const before = this.#record
    const result = await this.#records.update(key, change)
    const after = readSession(await this.#records.update(key, (value) => ({ result: value })))
    this.#record = after
    if (before?.status !== 'signedIn') {
      const isOld = after?.status === 'signedIn' && (after.login === 'first' || after.generation > 0)
      if (isOld) this.broken.push('a login was stored again after its end')
    } else if (after?.status === 'signedIn') {
      if (before.login === after.login && after.generation < before.generation)
        this.broken.push('an older token was stored over a newer one')
    } else if (after?.status === 'ended' && !this.#familyOf(refreshTokenIn(before))?.revoked)
      this.broken.push('a login was ended, and not by the provider')
    return result
  }

  /** Rules 1 and 3: a refresh token is used under a claim, or held in memory, and by one living process at a time. */
  #checkRequest(process: Process, request: OpenRequest): void {
    if (!request.body.includes('grant_type=refresh_token')) return
    const token = tokenIn(request)
    const record = this.#record?.status === 'signedIn' ? this.#record : undefined
    if (record && refreshTokenIn(record) === token && !record.claim?.owner.startsWith(`${process.letter}#`))
      this.broken.push('a stored refresh token was used without a claim')
    for (const other of this.#processes)
      if (
        other !== process &&
        other.open?.url === request.url &&
        tokenIn(other.open) === token &&
        !(this.#areApart && other.open.handled)
      )
        this.broken.push('two living processes used one refresh token at once')
  }

  #familyOf(refreshToken: string) {
    return this.provider.families[Number(refreshToken.split('-')[1])]
  }

  /** Whether the user must log in again, asked when everything is at rest. */
  get isLost(): boolean {
    if (this.#record?.status !== 'signedIn') return this.#record?.status === 'ended'
    const token = refreshTokenIn(this.#record)
    const family = this.#familyOf(token)
    if (family === undefined || family.revoked) return true
    const behind = family.generation - Number(token.split('-')[2])
    return behind !== 0 && !(behind === 1 && this.#isReplayed(family))
  }

  /** Whether the user has logged out, and the provider still accepts a token of the login. */
  get isHalfLoggedOut(): boolean {
    return this.#record?.status === 'signedOut' && this.provider.families.some(({ revoked }) => !revoked)
  }

  #isReplayed({ generation, spentAt }: (typeof this.provider.families)[number]): boolean {
    return this.now < (spentAt.get(generation - 1) ?? Number.NEGATIVE_INFINITY) + this.#window
  }

  /** Names everything that a later step depends on, except times. The two processes are alike. */
  get name(): string {
    const named = this.#processes.map((process) => ({ process, name: this.#nameOf(process) }))
    named.sort((one, other) => (one.name < other.name ? -1 : 1))
    const record = this.#record
    const owner = record?.status === 'signedIn' ? record.claim?.owner[0] : undefined
    const holder = named.findIndex(({ process }) => process.letter === owner)
    const stored = record?.status === 'signedIn' ? this.#relative(refreshTokenIn(record)) : record?.status
    const families = this.provider.families.map((family) =>
      family.revoked ? 'revoked' : this.#isReplayed(family) ? 'replayed' : 'strict',
    )
    const late = this.#late.map((request) => `late ${this.#relative(tokenIn(request))}`).sort()
    return [...named.map(({ name }) => name), stored, `claimed by ${holder}`, ...families, ...late].join(
      ' | ',
    )
  }

  #nameOf({ snapshot, store, open, isKilled }: Process): string {
    if (isKilled) return 'killed'
    const { value, context } = snapshot
    const { kept, result, revoking } = context
    const isPair = result?.type === 'token' || result?.type === 'login'
    const record = this.#record?.status === 'signedIn' ? this.#record : undefined
    return [
      value,
      kept && `has ${this.#relative(refreshTokenOf(kept.token))}`,
      kept && record && (kept.login === record.login ? record.generation - kept.generation : 'other'),
      result && (isPair ? `holds ${this.#relative(refreshTokenOf(result.token))}` : result.type),
      isDue(context, this.now) && 'due',
      this.now < context.restsUntil && 'resting',
      context.leaving && 'leaving',
      context.repeated && 'repeated',
      ...revoking.map((token) => this.#relative(refreshTokenOf(token))),
      store.isHeld && 'updating',
      open && `sent ${this.#relative(tokenIn(open))}`,
      open?.handled && `gets ${this.#relative(open.handled.says)}`,
    ]
      .filter(Boolean)
      .join(' ')
  }

  /** A refresh token by its family, and by how many refreshes it is behind. */
  #relative(refreshToken: string): string {
    const [, family, generation] = refreshToken.split('-')
    if (generation === undefined) return refreshToken
    return `${family}:${Number(generation) - (this.#familyOf(refreshToken)?.generation ?? 0)}`
  }
}

function isResting(process: Process): boolean {
  return process.is('signedIn', 'signedOut', 'ended', 'unavailable')
}

/** Lets everything run that waits for no step. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

function tokenIn({ body }: OpenRequest): string {
  const fields = new URLSearchParams(body)
  return fields.get('refresh_token') ?? fields.get('token') ?? ''
}

function refreshTokenIn(record: SessionRecord): string {
  const { token } = record as { readonly token?: { readonly refreshToken?: string } }
  return token?.refreshToken ?? ''
}

function refreshTokenOf({ refreshToken }: OAuthToken): string {
  return refreshToken?.reveal() ?? ''
}
