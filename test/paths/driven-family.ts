import { expect } from 'vitest'
import { refreshFamily } from '../../machines/refresh-family.ts'
import type { Dialect } from '../../src/service/index.ts'
import type { Family } from '../../src/service/tokens/families.ts'
import { CLIENT_ID, HOST, startService } from '../support/start-service.ts'
import { watchedStore } from '../support/watched-store.ts'
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

/** Turns of the event loop in which the service must have responded, and after which its store counts as idle. */
const MOST_TURNS = 2000
const IDLE_TURNS = 4

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

/** The real service with its real store, whose clock, client and host do what the steps of a path say. */
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
  #open: Open[] = []
  #requests = 0
  /** The pairs that the client has received, by the number of their refresh token. */
  readonly #pairs: Pair[] = []
  #results: FamilyResult[] = []

  constructor({ dialect, lifetime, reuseWindow }: Required<FamilyWalkOptions> & { dialect: Dialect }) {
    this.#service = startService({
      store: this.#watched.store,
      issueToken: this.#host.issueToken,
      refreshTokens: { lifetime, reuseWindow },
      dialect,
    })
  }

  get #family(): Family | undefined {
    return this.#watched.newest('family:') as unknown as Family | undefined
  }

  /** One executor for each type of step. */
  readonly executors: {
    [Type in FamilyWalkStep['type']]: (step: Extract<FamilyWalkStep, { type: Type }>) => unknown
  } = {
    login: async () => {
      this.#pairs.push(await this.#service.login())
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
    const headers = new Headers({ authorization: `Bearer ${this.#pairs.at(-1)?.access_token}` })
    const caller = await this.#service.authenticate({ headers }).catch(() => undefined)
    expect({
      family: {
        state: stored?.state,
        generation: stored?.generation,
        rotatedAt: stored?.rotatedAt,
        until: stored?.claim?.until,
      },
      results: this.#results.sort(),
      issuing: this.#host.making.length,
      pairs: this.#pairs.length,
      isValid: caller?.form === 'oauth',
    }).toEqual({
      family: {
        state: value,
        generation: context?.generation,
        rotatedAt: context?.rotatedAt,
        until: context?.claim?.until,
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

  /** Lets the service do all that waits for no time and no host, until its store has been idle for some turns. */
  async #settled(isExpected: () => boolean): Promise<void> {
    for (let turn = 0, idleSince = 0; turn < MOST_TURNS && turn < idleSince + IDLE_TURNS; turn += 1) {
      const updates = this.#watched.written.length
      await new Promise((resolve) => setImmediate(resolve))
      if (updates !== this.#watched.written.length || !isExpected()) idleSince = turn
    }
  }

  /** Refreshes with the token of a number. A token has one successor, however often it is presented. */
  async #refresh(open: Open): Promise<void> {
    const { generation } = open
    this.#requests += 1
    const { status, body } = await this.#service.refresh(this.#pairs[generation]?.refresh_token ?? '')
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
