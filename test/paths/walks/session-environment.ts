import { tokenInUse } from '../../../machines/session-selectors.ts'
import { formOf } from '../../../src/auth/auth.ts'
import type { Provider } from '../../../src/protocol/provider.ts'
import { github } from '../../../src/protocol/provider.ts'
import { Secret } from '../../../src/secret.ts'
import type { Session, SessionOptions } from '../../../src/session/create-session.ts'
import { keptOf, loginRecord, readSession } from '../../../src/session/session-record.ts'
import type { SessionStore } from '../../../src/session/session-store.ts'
import { memoryStore } from '../../../src/store/memory-store.ts'
import type { Json } from '../../../src/store/store.ts'
import { CODES_RESPONSES } from '../../../src/testing/paths/codes-responses.ts'
import { jsonResponse, pageResponse, type WireResponse } from '../../../src/testing/paths/wire-response.ts'
import { VirtualTime } from '../../../src/testing/sandbox/virtual-time.ts'
import { tokenOf, tokenResponse } from './refresh-responses.ts'
import type { SessionMoment, SessionStep } from './session-steps.ts'
import { firstStored, STOP, storeFault, TIMEOUTS } from './session-walk.ts'
import { afterwards, issues, type Meanwhile, OTHER_PID, type Stored } from './stored-login.ts'

/** An update that waits until a step lets it go through, or fail. */
interface HeldUpdate {
  readonly run: () => void
  readonly fail: () => void
}

/** A request that waits for its response. */
interface OpenRequest {
  readonly resolve: (response: Response) => void
  readonly reject: (error: Error) => void
}

type StepOf<Type extends SessionStep['type']> = Extract<SessionStep, { type: Type }>

const NAME = 'default'

/** GitHub, if it had an endpoint for revocation. */
const PROVIDER: Provider = {
  ...github(),
  revocationEndpoint: 'https://github.com/revoke',
}

/** The store, the provider, the other processes and the time of a session. Nothing happens but by the steps of a path. */
export class SessionEnvironment {
  readonly time = new VirtualTime()
  readonly #clock = this.time.clock()
  readonly #records = memoryStore()
  #held: HeldUpdate | undefined
  #open: OpenRequest[] = []
  #issued = 0
  #session: Session | undefined

  /** What `createSession` takes. */
  readonly options: SessionOptions = {
    clientId: 'sample-client-id',
    scopes: ['repo'],
    provider: PROVIDER,
    store: this.#store(),
    name: NAME,
    fetch: (_, init) => this.#request(init?.signal),
    clock: this.#clock,
    random: () => 0,
  }

  constructor(now: number) {
    this.time.now = now
  }

  get session(): Session {
    if (this.#session === undefined) throw new TypeError('the session was not opened')
    return this.#session
  }

  /** What is stored now. */
  async stored(): Promise<Stored> {
    return storedIn(await this.#records.update(NAME, (value) => ({ result: value })))
  }

  /** Requests without a response, and updates that wait. */
  get pending(): { readonly requests: number; readonly updates: number } {
    return { requests: this.#open.length, updates: this.#held ? 1 : 0 }
  }

  async open({ stored }: StepOf<'open'>, open: (options: SessionOptions) => Session): Promise<void> {
    await this.#write(firstStored(stored, this.time.now))
    this.#issued = stored === 'nothing' ? 0 : 1
    this.#session = open(this.options)
    await this.time.settle()
  }

  async send(type: 'need' | 'login' | 'logout' | 'cancel'): Promise<void> {
    this.session.actor.send({ type })
    await this.time.settle()
  }

  /** The session is given a token that was received elsewhere. */
  async keep(): Promise<void> {
    this.#issued += 1
    this.session.actor.send({ type: 'keep', token: tokenOf(this.#issued, this.time.now) })
    await this.time.settle()
  }

  /** An API refuses a token. */
  async reject({ token }: StepOf<'rejected'>): Promise<void> {
    const { context } = this.session.actor.getSnapshot()
    const inUse = token === 'inUse' && tokenInUse(context)?.token.accessToken.reveal()
    formOf(this.session).learn?.(
      new Response(null, { status: 401 }),
      new Secret(`Bearer ${inUse || 'another'}`),
    )
    await this.time.settle()
  }

  async authorize({ result }: StepOf<'authorize'>): Promise<void> {
    if (result === 'unreachable') return this.respond(undefined)
    await this.respond(CODES_RESPONSES.codes.response)
    await this.time.until(() => this.#open.length > 0)
    if (result === 'denied') return this.respond(jsonResponse({ error: 'access_denied' }))
    this.#issued += 1
    await this.respond(tokenResponse(this.#issued))
  }

  /** Lets the running update go through, after what another process did, or fail. */
  async update({ meanwhile, fails }: StepOf<'store'>): Promise<void> {
    if (meanwhile) await this.#meanwhile(meanwhile)
    const held = this.#held
    if (held === undefined) throw new TypeError('no update of the store is running')
    this.#held = undefined
    const isErasing = this.session.actor.getSnapshot().value === 'erasing'
    if (fails) held.fail()
    else held.run()
    await this.time.settle()
    // A logout that cannot write tries to delete.
    if (fails && isErasing) return this.#failAgain()
  }

  #failAgain(): Promise<void> {
    this.#held?.fail()
    this.#held = undefined
    return this.time.settle()
  }

  async refresh({ result, response }: StepOf<'refresh'>): Promise<void> {
    if (result === 'token') this.#issued += 1
    if (result === 'silence') return this.time.advance(TIMEOUTS.refresh)
    // No timer fires while a process is stopped.
    if (result === 'stopped') this.time.now += STOP
    await this.respond(response)
  }

  async revoke({ result }: StepOf<'revoke'>): Promise<void> {
    if (result === 'silence') return this.time.advance(TIMEOUTS.revoke)
    if (result === 'unreachable') return this.respond(undefined)
    if (result === 'refused') return this.respond(pageResponse(503))
    while (this.#open.length > 0) await this.respond({ status: 200, headers: {}, body: '' })
  }

  async wait({ until, milliseconds }: StepOf<'wait'>): Promise<void> {
    const end = this.time.now + milliseconds
    for (;;) {
      await this.time.settle()
      if (this.time.now >= end && !this.#isTryingUntil(until)) break
      if (this.#held && until === 'outage') this.#held.fail()
      else if (this.#held && until === 'impatient') this.#held.run()
      else if (!this.time.step(end)) this.time.now = end
      else continue
      this.#held = undefined
    }
  }

  /** The last try of an outage is still running. */
  #isTryingUntil(until: SessionMoment): boolean {
    return until === 'outage' && this.#held !== undefined
  }

  /** Responds to the open request; without a response, the connection breaks. */
  async respond(response: WireResponse | undefined): Promise<void> {
    const request = this.#open.shift()
    if (request === undefined) throw new TypeError('no request is on its way')
    if (response === undefined) request.reject(new TypeError('fetch failed'))
    else {
      const { body, ...init } = response
      request.resolve(new Response(body, init))
    }
    await this.time.settle()
  }

  #store(): SessionStore {
    return {
      owners: { self: 'ours', isGone: () => false, pidOf: () => OTHER_PID },
      update: (key, change) =>
        new Promise((resolve, reject) => {
          this.#held = {
            run: () => resolve(this.#records.update(key, change)),
            fail: () => reject(storeFault()),
          }
        }),
    }
  }

  #request(signal: AbortSignal | null | undefined): Promise<Response> {
    return new Promise((resolve, reject) => {
      const request = { resolve, reject }
      this.#open.push(request)
      signal?.addEventListener('abort', () => {
        this.#open = this.#open.filter((other) => other !== request)
        reject(new DOMException('aborted', 'AbortError'))
      })
    })
  }

  async #meanwhile(meanwhile: Meanwhile): Promise<void> {
    if (issues(meanwhile)) this.#issued += 1
    await this.#write(
      afterwards(await this.stored(), meanwhile, { number: this.#issued, now: this.time.now }),
    )
  }

  async #write(stored: Stored): Promise<void> {
    if (stored === undefined) return
    await this.#records.update(NAME, () => ({ result: undefined, value: recordOf(stored) }))
  }
}

function storedIn(value: Json | undefined): Stored {
  const record = readSession(value)
  if (record?.status !== 'signedIn') return record?.status
  return { kept: keptOf(record), ...(record.claim && { owner: record.claim.owner }) }
}

function recordOf(stored: Exclude<Stored, undefined>): NonNullable<Json> {
  if (typeof stored === 'string') return { v: 1, status: stored }
  const claim = stored.owner === undefined ? {} : { claim: { owner: stored.owner, nonce: 'another' } }
  return { ...loginRecord(stored.kept, PROVIDER), ...claim } as NonNullable<Json>
}
