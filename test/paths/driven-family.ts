import { expect } from 'vitest'
import { holdDuringReads } from '../../docs/break/hold-during-reads.ts'
import { refreshFamily } from '../../machines/refresh-family.ts'
import type { Dialect } from '../../src/service/index.ts'
import type { Family } from '../../src/service/tokens/families.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { CLIENT_ID, HOST, startService } from '../support/start-service.ts'
import { watchedStore } from '../support/watched-store.ts'
import { BOUND, BoundClient, JKT } from './bound-client.ts'
import { RESOURCE } from './challenges.ts'
import { Host } from './host.ts'
import type { Driven } from './prove-walks.ts'
import type {
  FamilyResult,
  FamilySituation,
  FamilyWalkOptions,
  FamilyWalkStep,
  PresentedToken,
} from './walks/family-walk.ts'
import type { IssuedStep } from './walks/issuing.ts'

/** How often the service may be waited for, until it has responded and its store is idle. */
const MOST_WAITS = 2000

const BACK: Readonly<Record<PresentedToken, number>> = { newest: 0, previous: 1, older: 2 }

/** What a client receives. */
interface Pair {
  readonly access_token: string
  readonly refresh_token: string
}

/** A refresh without a response. */
interface Open {
  /** The number of its refresh token. */
  readonly generation: number
  /** Its claim, if its token is being made; otherwise it is held. */
  claim?: string | undefined
}

/**
 * The real service with its real store, whose clock, client and host do what the steps of a path say. If the login is bound
 * to a key, everything that the service must refuse arrives before and after each refresh.
 */
export class DrivenFamily implements Driven<FamilySituation, FamilyWalkStep> {
  readonly #service: ReturnType<typeof startService>
  /** Its clock stands still, so that it deletes nothing: the machine alone says when a login is over. */
  readonly #watched = watchedStore({ now: () => 0 })
  readonly #host = new Host<Open>(() => {
    const of = this.#open.at(-1)
    if (of === undefined) throw new Error('nobody asks for this token')
    of.claim = this.#family?.claim?.id
    return of
  })
  readonly #bound: BoundClient | undefined
  readonly #time = new VirtualTime()
  #open: Open[] = []
  #requests = 0
  /** The pairs that the client has received, by the number of their refresh token. */
  readonly #pairs: Pair[] = []
  #results: FamilyResult[] = []

  constructor(
    { dialect, lifetime, reuseWindow }: Required<FamilyWalkOptions> & { dialect: Dialect },
    isBound: boolean,
  ) {
    this.#service = startService({
      store: this.#watched.store,
      issueToken: this.#host.issueToken,
      refreshTokens: { lifetime, reuseWindow },
      dialect,
      ...(isBound && BOUND),
    })
    if (isBound) this.#bound = new BoundClient(this.#service, this.#service.clock, () => this.#family)
    // WebCrypto takes some turns of the event loop.
    holdDuringReads(this.#time)
  }

  get #family(): Family | undefined {
    return this.#watched.newest('family:') as unknown as Family | undefined
  }

  /** One executor for each type of step. */
  readonly executors: {
    [Type in FamilyWalkStep['type']]: (step: Extract<FamilyWalkStep, { type: Type }>) => unknown
  } = {
    login: async () => {
      this.#pairs.push(await (this.#bound ? this.#bound.login() : this.#service.login()))
    },
    wait: ({ milliseconds }) => {
      this.#service.clock.time += milliseconds
    },
    revoke: async () => {
      const token = this.#pairs.at(-1)?.refresh_token ?? ''
      const body = new URLSearchParams({ client_id: CLIENT_ID, token })
      const { status } = await this.#service.fetch(`${HOST}/login/oauth/revoke`, { method: 'POST', body })
      expect(status).toBe(200)
    },
    refresh: ({ token, issuing }) => {
      this.#host.issuing = issuing
      const open: Open = { generation: this.#pairs.length - 1 - BACK[token] }
      this.#open.push(open)
      void this.#refresh(open)
    },
    issued: (step) => this.#end(step),
    notIssued: (step) => this.#end(step),
  }

  async take(step: FamilyWalkStep, expected: FamilySituation): Promise<FamilySituation> {
    this.#results = []
    this.#host.issuing = undefined
    const executor = this.executors[step.type] as (step: FamilyWalkStep) => unknown
    await executor(step)
    const { family, waiting, results } = expected
    const issuing = waiting.filter(({ heldFor }) => heldFor === undefined).length
    await this.#settled(
      () =>
        this.#results.length === results.length &&
        this.#open.length === waiting.length &&
        this.#host.making.length === issuing,
    )
    const { value, context } = family ?? {}
    const stored = this.#family
    const isValid = await this.#isValid(this.#pairs.at(-1)?.access_token ?? '')
    expect({
      family: {
        state: stored?.state,
        generation: stored?.generation,
        rotatedAt: stored?.rotatedAt,
        until: stored?.claim?.until,
        jkt: stored?.jkt,
        resource: stored?.resource,
      },
      results: this.#results.sort(),
      issuing: this.#host.making.length,
      pairs: this.#pairs.length,
      isValid,
    }).toEqual({
      family: {
        state: value,
        generation: context?.generation,
        rotatedAt: context?.rotatedAt,
        until: context?.claim?.until,
        jkt: this.#bound && JKT,
        resource: this.#bound && RESOURCE,
      },
      results,
      issuing,
      pairs: (context?.generation ?? 0) + 1,
      isValid: family?.hasTag('valid'),
    })
    return this.#found()
  }

  /** The situation by the stored record and the requests without a response. */
  #found(): FamilySituation {
    const stored = this.#family
    return {
      now: this.#service.clock.time,
      ...(stored && { family: refreshFamily.resolveState({ value: stored.state, context: stored }) }),
      waiting: this.#open.map(({ generation, claim }) =>
        claim === undefined ? { claim: '', generation, heldFor: 'another' } : { claim, generation },
      ),
      requests: this.#requests,
      events: [],
      results: this.#results,
    }
  }

  async #isValid(token: string): Promise<boolean> {
    if (this.#bound) return this.#bound.isAccepted(token)
    const headers = new Headers({ authorization: `Bearer ${token}` })
    const caller = await this.#service.authenticate({ headers }).catch(() => undefined)
    return caller?.form === 'oauth'
  }

  /** Lets the service do all that waits for no time and no host, until its store is idle. */
  async #settled(isExpected: () => boolean): Promise<void> {
    for (let waits = 0, updates = -1; waits < MOST_WAITS; waits += 1) {
      if (updates === this.#watched.written.length && isExpected()) return
      updates = this.#watched.written.length
      await this.#time.settle()
    }
  }

  /** Refreshes with the token of a number. A token has one successor, however often it is presented. */
  async #refresh(open: Open): Promise<void> {
    const { generation } = open
    this.#requests += 1
    const refresh_token = this.#pairs[generation]?.refresh_token ?? ''
    const fields = { grant_type: 'refresh_token', refresh_token }
    const isAlone = () => this.#open.length === 1
    const { status, body } = await (this.#bound?.spend(fields, 'invalid_dpop_proof', isAlone) ??
      this.#service.refresh(refresh_token))
    this.#open = this.#open.filter((other) => other !== open)
    if (status === 503) this.#results.push('busy')
    else if (body.refresh_token === undefined) this.#results.push('refused')
    else {
      const successor = this.#pairs[generation + 1]
      this.#results.push(successor ? 'samePair' : 'newPair')
      this.#pairs[generation + 1] = body
      const { access_token } = successor ?? body
      expect(body).toMatchObject({
        access_token,
        refresh_token: successor?.refresh_token ?? body.refresh_token,
      })
    }
  }

  #end(step: IssuedStep): void {
    const of = this.#host.end(step)
    // If its pair is dropped, it asks again.
    of.claim = undefined
    this.#open = [...this.#open.filter((other) => other !== of), of]
  }
}
