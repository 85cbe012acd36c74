import { expect } from 'vitest'
import type { Family } from '../../src/service/families.ts'
import {
  createService,
  type Dialect,
  memoryStore,
  type Service,
  type Store,
} from '../../src/service/index.ts'
import type {
  FamilyResult,
  FamilySituation,
  FamilyWalkOptions,
  FamilyWalkStep,
  PresentedToken,
} from '../../src/testing/paths/family-walk.ts'
import { GRANT_TYPE } from '../support/start-service.ts'

const CLIENT_ID = 'client-id-in-the-clear'

const BACK: Readonly<Record<PresentedToken, number>> = { newest: 0, previous: 1, older: 2 }

/** What a client receives. */
interface Pair {
  readonly access_token: string
  readonly refresh_token: string
}

/** A token that is being made. */
interface Making {
  readonly made: (token: string) => void
  readonly failed: (error: Error) => void
}

/** The real service with its real store, whose clock, client and host do what the steps of a path say. */
export class DrivenFamily {
  readonly #clock = { time: Date.UTC(2026, 0, 1), now: () => this.#clock.time }
  readonly #service: Service
  readonly #making: Making[] = []
  #family: Family | undefined
  #issuing: 'fails' | 'takesLong' | undefined
  #tokens = 0
  /** The pairs that the client has received, by the number of their refresh token. */
  readonly #pairs: Pair[] = []
  #results: FamilyResult[] = []

  constructor({ dialect, lifetime, reuseWindow }: Required<FamilyWalkOptions> & { dialect: Dialect }) {
    // Its clock stands still, so that it deletes nothing: the machine alone says when a login is over.
    const store = memoryStore({ clock: { now: () => 0 } })
    const watched: Store = {
      update: (key, change) =>
        store.update(key, (value) => {
          const changed = change(value)
          if (key.startsWith('family:') && changed.value) this.#family = changed.value as unknown as Family
          return changed
        }),
    }
    this.#service = createService({
      clients: [{ clientId: CLIENT_ID, name: 'App' }],
      clock: this.#clock,
      store: watched,
      issueToken: () => this.#issue(),
      refreshTokens: { lifetime, reuseWindow },
      dialect,
    })
  }

  /** One executor for each type of step. */
  readonly executors: {
    [Type in FamilyWalkStep['type']]: (step: Extract<FamilyWalkStep, { type: Type }>) => unknown
  } = {
    login: async () => {
      const codes = await (await this.#post('/login/device/code', {})).json()
      await this.#service.approve(codes.user_code, 'octocat')
      const { device_code } = codes
      const response = await this.#post('/login/oauth/access_token', { device_code, grant_type: GRANT_TYPE })
      this.#pairs.push(await response.json())
    },
    wait: ({ milliseconds }) => {
      this.#clock.time += milliseconds
    },
    revoke: async () => {
      const token = this.#pairs.at(-1)?.refresh_token ?? ''
      expect((await this.#post('/login/oauth/revoke', { token })).status).toBe(200)
    },
    refresh: ({ token, issuing }) => {
      this.#issuing = issuing
      void this.#refresh(this.#pairs.length - 1 - BACK[token])
    },
    issued: ({ of }) => this.#end(of).made(this.#newToken()),
    notIssued: ({ of }) => this.#end(of).failed(new Error('the host has no token')),
  }

  /** Takes one step, and compares the service with what pure transitions lead to. */
  async take(step: FamilyWalkStep, { family, waiting, results }: FamilySituation): Promise<void> {
    this.#results = []
    this.#issuing = undefined
    const executor = this.executors[step.type] as (step: FamilyWalkStep) => unknown
    await executor(step)
    await this.#settled()
    const { value, context } = family ?? {}
    const { state, generation, rotatedAt, lease } = this.#family ?? {}
    const headers = new Headers({ authorization: `Bearer ${this.#pairs.at(-1)?.access_token}` })
    const { form } = await this.#service.authenticate({ headers })
    expect({
      family: { state, generation, rotatedAt, until: lease?.until },
      results: this.#results.sort(),
      issuing: this.#making.length,
      pairs: this.#pairs.length,
      isValid: form === 'oauth',
    }).toEqual({
      family: {
        state: value,
        generation: context?.generation,
        rotatedAt: context?.rotatedAt,
        until: context?.lease?.until,
      },
      results,
      issuing: waiting.filter(({ heldFor }) => heldFor === undefined).length,
      pairs: (context?.generation ?? 0) + 1,
      isValid: family?.hasTag('valid'),
    })
  }

  /** Lets the service do all that waits for no time and no host. */
  async #settled(): Promise<void> {
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }

  /** Refreshes with the token of a number. A token has one successor, however often it is presented. */
  async #refresh(generation: number): Promise<void> {
    const refresh_token = this.#pairs[generation]?.refresh_token ?? ''
    const fields = { grant_type: 'refresh_token', refresh_token }
    const response = await this.#post('/login/oauth/access_token', fields)
    const body: Partial<Pair> = await response.json()
    if (response.status === 503) this.#results.push('busy')
    else if (body.refresh_token === undefined) this.#results.push('refused')
    else {
      const successor = this.#pairs[generation + 1]
      this.#results.push(successor ? 'samePair' : 'newPair')
      this.#pairs[generation + 1] = body as Pair
      const { access_token } = successor ?? (body as Pair)
      expect(body).toMatchObject({
        access_token,
        refresh_token: successor?.refresh_token ?? body.refresh_token,
      })
    }
  }

  #issue(): string | Promise<string> {
    if (this.#issuing === 'fails') throw new Error('the host has no token')
    if (this.#issuing !== 'takesLong') return this.#newToken()
    this.#issuing = undefined
    return new Promise((made, failed) => this.#making.push({ made, failed }))
  }

  #newToken(): string {
    this.#tokens += 1
    return `token-${this.#tokens}`
  }

  #end(of: 'first' | 'last'): Making {
    const making = of === 'first' ? this.#making.shift() : this.#making.pop()
    if (making === undefined) throw new Error('no pair is being issued')
    return making
  }

  #post(path: string, fields: Record<string, string>): Promise<Response> {
    const body = new URLSearchParams({ client_id: CLIENT_ID, ...fields })
    return this.#service.fetch(`http://localhost${path}`, { method: 'POST', body })
  }
}
