import { expect } from 'vitest'
import { grantState } from '../../machines/device-grant.ts'
import { createDeviceAuthorization, type DeviceAuthorizationActor } from '../../src/index.ts'
import { createService } from '../../src/service/index.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import type { BothSides, BothSidesStep, Delivery } from './both-sides-walk.ts'
import { compared } from './driven-device.ts'
import { watchedStore } from './driven-service.ts'

/** Requests that no login needs: a client that never rests must fail, and not hang. */
const TOO_MANY = 300

/** Milliseconds after which a late response arrives: the client has already given up. */
const LATE = 31_000

/** The real client and the real service in one virtual time, with a wire between them that may fail. */
export class DrivenBothSides {
  readonly #time = new VirtualTime()
  readonly #clock = this.#time.clock()
  readonly #watched = watchedStore(this.#clock)
  #issued = 0
  #requests = 0
  readonly #service = createService({
    clients: [{ clientId: 'client-id-in-the-clear', name: 'App' }],
    clock: this.#clock,
    store: this.#watched.store,
    issueToken: () => {
      this.#issued += 1
      return 'sample-access-token'
    },
  })
  readonly #actor: DeviceAuthorizationActor = createDeviceAuthorization({
    clientId: 'client-id-in-the-clear',
    scopes: ['repo', 'gist'],
    clock: this.#clock,
    random: () => 0,
    fetch: (input, init) => this.#deliver(this.#time.through(this.#service.fetch), input, init),
  })
  #delivery: Delivery = 'arrives'

  /** Takes one step, and compares both sides with what pure transitions lead to. */
  async take(step: BothSidesStep, expected: BothSides): Promise<void> {
    await this.#act(step)
    const { device, service, lost } = expected
    if (device.device === undefined || service.grant === undefined) throw new Error('nothing was begun')
    expect(compared(this.#actor.getSnapshot())).toEqual(compared(device.device))
    const { interval, lastPollAt, user } = service.grant.context
    expect(this.#watched.grant()).toMatchObject({
      state: grantState(service.grant.value),
      interval,
      lastPollAt,
      user,
    })
    expect(this.#issued).toBe(service.grant.value === 'authorized' ? 1 : 0)
    if (lost) expect(this.#actor.getSnapshot().output?.status).not.toBe('authorized')
  }

  /** Runs the login to its end over a wire that works. If the user never decides, the codes expire. */
  async end() {
    this.#delivery = 'arrives'
    const isDone = () => this.#actor.getSnapshot().status === 'done'
    const isDecided = () => !['requested', 'pending', 'slowed'].includes(this.#watched.grant()?.state ?? '')
    if (!isDone() && !isDecided()) await this.#sleep()
    await this.#time.until(isDone)
    const isOver = this.#time.now >= this.#actor.getSnapshot().context.expiresAt
    await this.#time.advance(LATE)
    expect(this.#time.timers).toBe(0)
    const { output } = this.#actor.getSnapshot()
    return {
      device: output?.status,
      reason: output?.status === 'failed' && output.error.code === 'refused' ? output.error.error : undefined,
      service: this.#watched.grant()?.state,
      issued: this.#issued,
      requests: this.#requests,
      isOver,
    }
  }

  async #act(step: BothSidesStep): Promise<void> {
    switch (step.type) {
      case 'begin':
        this.#delivery = step.response
        this.#actor.start()
        return this.#time.settle()
      case 'poll':
        this.#delivery = step.delivery
        return this.#poll()
      case 'sleep':
        this.#delivery = 'arrives'
        return this.#sleep()
      case 'approve':
      case 'deny':
        await this.#service[step.type](this.#actor.getSnapshot().context.codes?.userCode ?? '', 'octocat')
    }
  }

  /** Runs until the next poll has its response or has been given up. */
  async #poll(): Promise<void> {
    const { polls } = this.#actor.getSnapshot().context
    await this.#time.until(() => {
      const snapshot = this.#actor.getSnapshot()
      return snapshot.status === 'done' || (snapshot.context.polls > polls && !snapshot.hasTag('polling'))
    })
  }

  async #sleep(): Promise<void> {
    this.#time.now = this.#actor.getSnapshot().context.expiresAt
    await this.#time.advance(0)
  }

  async #deliver(send: typeof fetch, ...request: Parameters<typeof fetch>): Promise<Response> {
    this.#requests += 1
    if (this.#requests > TOO_MANY) throw new TypeError('fetch failed')
    const delivery = this.#delivery
    if (delivery === 'requestLost') throw new TypeError('fetch failed')
    const first = await send(...request)
    switch (delivery) {
      case 'arrives':
        return first
      case 'responseLost':
        throw new TypeError('fetch failed')
      case 'responseLate':
        return new Promise((resolve) => this.#clock.setTimeout(() => resolve(first), LATE))
      case 'twice':
        await send(...request)
        return first
      case 'twiceReceivedLast':
        return send(...request)
    }
  }
}
