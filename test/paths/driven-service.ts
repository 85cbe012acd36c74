import { expect } from 'vitest'
import { deviceGrant, grantState, grantValue } from '../../machines/device-grant.ts'
import type { Grant } from '../../src/service/grants/grant-steps.ts'
import { GRANT_TYPE, startService } from '../support/start-service.ts'
import { watchedStore } from '../support/watched-store.ts'
import { BOUND, BoundClient, JKT } from './bound-client.ts'
import { RESOURCE } from './challenges.ts'
import { Host } from './host.ts'
import type { Driven } from './prove-walks.ts'
import type { IssuedStep } from './walks/issuing.ts'
import type {
  PollResult,
  ServiceSituation,
  ServiceWalkOptions,
  ServiceWalkStep,
} from './walks/service-walk.ts'

/** Poll results, by the member `error` of the response. */
const RESPONSES: Readonly<Record<string, PollResult>> = {
  authorization_pending: 'pending',
  slow_down: 'slowDown',
  access_denied: 'denied',
  expired_token: 'expired',
  incorrect_device_code: 'unknownCode',
  invalid_grant: 'unknownCode',
  temporarily_unavailable: 'busy',
}

/** The result of a poll. */
interface ReceivedEvent {
  readonly result: PollResult
  readonly interval: number | undefined
}

/** A poll that waits for its token. */
interface Waiting {
  readonly claim: string
  readonly received: Promise<ReceivedEvent>
}

/** The grant that a store holds, as it was written last. */
export function grantIn({ newest }: ReturnType<typeof watchedStore>): Grant | undefined {
  return newest('grant:') as unknown as Grant | undefined
}

/** The situation of a service by its stored record and the polls without a response. */
export function foundIn(
  stored: Grant | undefined,
  now: number,
  waiting: readonly { readonly claim: string }[] = [],
): ServiceSituation {
  if (stored === undefined) throw new Error('the service stored no grant')
  return {
    now,
    grant: deviceGrant.resolveState({ value: grantValue(stored.state), context: stored }),
    withoutResponse: waiting.map(({ claim }) => claim),
    polls: 0,
    events: [],
  }
}

/**
 * The real service with its real store, whose clock, user and host do what the steps of a path say. If the login is bound to
 * a key, everything that the service must refuse arrives before each poll.
 */
export class DrivenService implements Driven<ServiceSituation, ServiceWalkStep> {
  readonly #clock = { time: Date.UTC(2026, 0, 1), now: () => this.#clock.time }
  readonly #watched = watchedStore(this.#clock)
  readonly #service: ReturnType<typeof startService>
  readonly #host = new Host<Waiting>(() => {
    if (this.#polled === undefined) throw new Error('nobody asks for this token')
    return { claim: grantIn(this.#watched)?.claim?.id ?? '', received: this.#polled }
  })
  readonly #bound: BoundClient | undefined
  #polled: Promise<ReceivedEvent> | undefined
  /** The error for a code that is unknown, or bound to another key. */
  readonly #unknownCode: string
  #codes = { device_code: '', user_code: '' }
  readonly #leeway: number
  /** By the specification alone: seconds between two polls, and when the last one came that was not early. */
  #required = 5
  #lastPollAt = Number.NEGATIVE_INFINITY
  readonly #delivered = new Set<string>()
  #last: { received?: ReceivedEvent | undefined; decision?: string | undefined } = {}

  constructor(
    options: Pick<ServiceWalkOptions, 'leeway' | 'firstPoll'> & { dialect: 'github' | 'rfc8628' },
    isBound: boolean,
  ) {
    this.#leeway = options.leeway ?? 0
    this.#unknownCode = options.dialect === 'github' ? 'incorrect_device_code' : 'invalid_grant'
    if (options.firstPoll === 'counted') this.#lastPollAt = this.#clock.time
    this.#service = startService({
      clock: this.#clock,
      store: this.#watched.store,
      issueToken: this.#host.issueToken,
      ...options,
      ...(isBound && BOUND),
    })
    if (isBound) this.#bound = new BoundClient(this.#service, this.#clock, () => grantIn(this.#watched))
  }

  /** One executor for each type of step. */
  readonly executors: {
    [Type in ServiceWalkStep['type']]: (step: Extract<ServiceWalkStep, { type: Type }>) => unknown
  } = {
    codes: async () => {
      this.#codes = (await (this.#bound ?? this.#service).askForCodes()).body
      expect(this.#codes).toMatchObject({ interval: 5, expires_in: 900 })
    },
    wait: ({ milliseconds }) => {
      this.#clock.time += milliseconds
    },
    poll: async ({ issuing }) => {
      this.#host.issuing = issuing
      const begun = this.#host.begun()
      this.#polled = this.#poll()
      const responded = this.#polled.then((received) => {
        this.#last = { received }
      })
      await (issuing === 'takesLong' ? Promise.race([begun, responded]) : responded)
    },
    approve: async () => {
      this.#last = { decision: await this.#service.approve(this.#codes.user_code, 'octocat') }
    },
    deny: async () => {
      this.#last = { decision: await this.#service.deny(this.#codes.user_code) }
    },
    issued: (step) => this.#settle(step),
    notIssued: (step) => this.#settle(step),
  }

  async take(step: ServiceWalkStep, expected: ServiceSituation): Promise<ServiceSituation> {
    const executor = this.executors[step.type] as ((step: ServiceWalkStep) => unknown) | undefined
    if (executor === undefined) throw new Error(`there is no executor for "${step.type}"`)
    this.#last = {}
    await executor(step)
    const { grant, result, decision } = expected
    if (grant === undefined) throw new Error('the walk has no grant')
    const { interval, lastPollAt, user, claim } = grant.context
    const { received } = this.#last
    if (step.type === 'poll' && grant.hasTag('undecided')) this.#account(received)
    expect({
      stored: grantIn(this.#watched),
      decision: this.#last.decision,
      result: received?.result,
      interval: this.#required,
      tokens: this.#delivered.size,
    }).toMatchObject({
      stored: {
        state: grantState(grant.value),
        interval,
        lastPollAt,
        user,
        claim: claim && { until: claim.until },
        ...(this.#bound && { resource: RESOURCE, jkt: JKT }),
      },
      decision,
      result,
      interval,
      tokens: grant.value === 'authorized' ? 1 : 0,
    })
    const waiting = this.#host.making.map(({ of }) => of)
    return foundIn(grantIn(this.#watched), this.#clock.time, waiting)
  }

  /** Spec 3, 7: a poll that is too early adds five seconds, and only such a one is told to slow down. */
  #account(received: ReceivedEvent | undefined): void {
    const { time } = this.#clock
    if (time < this.#lastPollAt + (this.#required - this.#leeway) * 1000) {
      this.#required += 5
      expect(received).toEqual({ result: 'slowDown', interval: this.#required })
    } else {
      this.#lastPollAt = time
      expect(received?.result).toBe('pending')
    }
    expect(grantIn(this.#watched)?.lastPollAt).toBe(this.#lastPollAt)
  }

  async #settle(step: IssuedStep): Promise<void> {
    this.#last = { received: await this.#host.end(step).received }
  }

  async #poll(): Promise<ReceivedEvent> {
    const { device_code } = this.#codes
    const fields = { device_code, grant_type: GRANT_TYPE }
    const { body } = await (this.#bound?.spend(fields, this.#unknownCode) ?? this.#service.poll(device_code))
    if (body.access_token === undefined)
      return { result: RESPONSES[body.error] ?? body.error, interval: body.interval }
    this.#delivered.add(body.access_token)
    return { result: 'token', interval: undefined }
  }
}
