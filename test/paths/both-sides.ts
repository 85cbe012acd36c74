import { expect } from 'vitest'
import { grantState } from '../../machines/device-grant.ts'
import { createDeviceAuthorization, type DeviceAuthorizationActor } from '../../src/index.ts'
import { createService } from '../../src/service/index.ts'
import type { WalkedStep } from '../../src/testing/paths/walk.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { watchedStore } from '../support/watched-store.ts'
import { type BothSides, type BothSidesStep, type Delivery, isTooLate } from './both-sides-walk.ts'
import { comparableOf } from './driven-device.ts'
import { foundIn, grantIn } from './driven-service.ts'
import type { Driven } from './prove-walks.ts'

/** Requests that no login needs: a client that never rests must fail, and not hang. */
const TOO_MANY = 300

/** Milliseconds after which a late response arrives: the client has already given up. */
const LATE = 31_000

/** How an authorization may end: what the device says, and what the service keeps of it then. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  authorized: ['authorized'],
  denied: ['denied'],
  // The device polls no more after the end: what the user decided too late for its last poll is never asked for.
  expired: ['requested', 'pending', 'slowed', 'approved', 'denied', 'expired'],
}

/** The real client and the real service in one virtual time, with a wire between them that may fail. */
export class DrivenBothSides implements Driven<BothSides, BothSidesStep> {
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

  async take(step: BothSidesStep, { device, service }: BothSides): Promise<BothSides> {
    await this.#act(step)
    if (device.device === undefined || service.grant === undefined) throw new Error('nothing was begun')
    const snapshot = this.#actor.getSnapshot()
    const stored = grantIn(this.#watched)
    expect(comparableOf(snapshot)).toEqual(comparableOf(device.device))
    const { interval, lastPollAt, user } = service.grant.context
    const state = grantState(service.grant.value)
    expect(stored).toMatchObject({ state, interval, lastPollAt, user })
    expect(this.#issued).toBe(state === 'authorized' ? 1 : 0)
    const { now } = this.#time
    return {
      device: { now, device: snapshot },
      service: foundIn(stored, now),
      lost: this.#issued > 0 && snapshot.output?.status !== 'authorized',
    }
  }

  /** Runs the login to its end over a wire that works, and compares both sides. If the user never decides, the codes expire. */
  async end(path: readonly WalkedStep<BothSides, BothSidesStep>[]): Promise<void> {
    this.#delivery = 'arrives'
    const isDone = () => this.#actor.getSnapshot().status === 'done'
    const isDecided = () => !['requested', 'pending', 'slowed'].includes(grantIn(this.#watched)?.state ?? '')
    if (!isDone() && !isDecided()) await this.#sleep()
    await this.#time.until(isDone)
    const isOver = this.#time.now >= this.#actor.getSnapshot().context.expiresAt
    await this.#time.advance(LATE)
    expect(this.#time.timers).toBe(0)
    const { output } = this.#actor.getSnapshot()
    const device = output?.status ?? 'running'
    const service = grantIn(this.#watched)?.state ?? ''
    expect(this.#issued).toBe(service === 'authorized' ? 1 : 0)
    expect(this.#requests).toBeLessThan(30)
    if (device === 'expired') expect(isOver).toBe(true)

    const [first, last] = [path[0]?.step, path.at(-1)?.situation]
    const isBegun = first?.type === 'begin' && first.response === 'arrives'
    const isLost = service === 'authorized' && device !== 'authorized'
    if (!isBegun) expect([device, service]).toEqual(['failed', 'requested'])
    else if (!isLost) expect(ENDS[device]).toContain(service)
    // The one exception: no response with the token reached the device in the delivery window, or before its codes expired.
    else {
      expect(last?.lost).toBe(true)
      if (device === 'expired') return
      expect(output).toMatchObject({ status: 'failed', error: { error: 'incorrect_device_code' } })
      expect(last && isTooLate(last)).toBe(true)
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
