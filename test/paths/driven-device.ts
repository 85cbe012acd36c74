import { expect } from 'vitest'
import type { AnyTransitionDefinition, EventFromLogic, InspectionEvent } from 'xstate'
import {
  createDeviceAuthorization,
  type DeviceAuthorizationActor,
  type DeviceSnapshot,
  deviceMachine,
} from '../../src/index.ts'
import type { DeviceStep, WireResponse } from '../../src/testing/index.ts'
import { expectationOf } from '../../src/testing/paths/device-paths.ts'
import { type DeviceSituation, type DeviceWalkStep, stateName } from '../../src/testing/paths/device-walk.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'

/** A request that waits for what becomes of it. */
interface OpenRequest {
  readonly resolve: (response: Response) => void
  readonly reject: (error: Error) => void
}

/** What is compared of a device: all that is no object of the flow, and no function. */
export function compared(snapshot: DeviceSnapshot) {
  const { flow, codes, token, error, ...context } = snapshot.context
  return {
    state: stateName(snapshot),
    isActive: snapshot.status === 'active',
    outcome: snapshot.output?.status,
    token: token && { ...token, accessToken: token.accessToken.reveal() },
    error: error && { code: error.code, wire: 'error' in error ? error.error : undefined },
    hasCodes: codes !== undefined,
    ...context,
  }
}

/** The real client under virtual time; its service does what the steps of a path say. */
export class DrivenDevice {
  readonly time = new VirtualTime()
  /** The transitions of the machine that the client really took. */
  readonly taken = new Set<AnyTransitionDefinition>()
  readonly sent: { readonly url: string; readonly body: URLSearchParams }[] = []
  #actor: DeviceAuthorizationActor | undefined
  #open: OpenRequest[] = []
  /** Milliseconds by which the device's clock is behind its timers. */
  #lag = 0
  #broken = false
  /** By the specification alone: seconds between two polls, and from when on they count. */
  #required = { seconds: 0, from: 0 }

  get snapshot(): DeviceSnapshot {
    if (this.#actor === undefined) throw new Error('the client was not started')
    return this.#actor.getSnapshot()
  }

  /** One executor for each type of step. */
  readonly executors: {
    [Type in DeviceWalkStep['type']]: (step: Extract<DeviceWalkStep, { type: Type }>) => Promise<void>
  } = {
    start: async ({ resume }) => {
      const clock = this.time.clock()
      const now = () => {
        if (this.#broken) throw new TypeError('a defect')
        return clock.now() - this.#lag
      }
      this.#actor = createDeviceAuthorization({
        ...(resume ? { resume } : { clientId: 'client-id-in-the-clear', scopes: ['repo', 'gist'] }),
        clock: { ...clock, now },
        fetch: this.#fetch,
        random: () => 0,
        inspect: (event) => this.#note(event),
      })
      if (resume)
        this.#required = { seconds: resume.interval, from: resume.nextPollAt - resume.interval * 1000 }
      this.#actor.start()
      await this.time.settle()
    },
    codes: ({ response }) => this.#response(response),
    response: ({ response }) => this.#response(response),
    silence: async ({ milliseconds }) => {
      await this.#nothingHappensFor(milliseconds - 1)
      await this.time.advance(1)
      this.#required.from = this.time.now
    },
    wait: async ({ until, milliseconds }) => {
      if (until === 'due') {
        await this.#nothingHappensFor(milliseconds - 1)
        const sent = this.sent.length
        await this.time.advance(1)
        expect(this.sent).toHaveLength(sent + 1)
      } else {
        // The timer runs its whole time, and finds a clock that shows a millisecond less.
        this.#lag += 1
        await this.#nothingHappensFor(milliseconds + 1)
      }
    },
    sleep: async ({ milliseconds }) => {
      this.time.now += milliseconds
      await this.time.advance(0)
    },
    wake: async ({ milliseconds }) => {
      this.time.now += milliseconds
      await this.#send('wake')
    },
    cancel: () => this.#send('cancel'),
    defect: async () => {
      this.#broken = true
      await this.#response(undefined)
      this.#broken = false
    },
  }

  /** Takes one step, and compares the client with what pure transitions lead to. */
  async take(step: DeviceWalkStep, expected: DeviceSituation): Promise<void> {
    const executor = this.executors[step.type] as ((step: DeviceStep) => Promise<void>) | undefined
    if (executor === undefined) throw new Error(`there is no executor for "${step.type}"`)
    await executor(step as DeviceStep)
    const { device } = expected
    if (device === undefined) throw new Error('the walk has no device')
    expect(compared(this.snapshot)).toEqual(compared(device))
    const { codes, interval } = this.snapshot.context
    if (codes) expect(interval).toBe(this.#required.seconds)
    expect(expectationOf({ ...expected, device: this.snapshot })).toEqual(expectationOf(expected))
    const isAsking = this.snapshot.hasTag('polling') || this.snapshot.hasTag('requesting')
    expect(this.#open).toHaveLength(isAsking ? 1 : 0)
  }

  /** Gives up what still runs. Nothing is sent after the end, and nothing is left behind. */
  async end(): Promise<void> {
    if (this.snapshot.status === 'active') this.#actor?.send({ type: 'cancel' })
    const sent = this.sent.length
    await this.time.advance(3_600_000)
    expect(this.sent).toHaveLength(sent)
    expect(this.time.timers).toBe(0)
    expect(this.#open).toEqual([])
  }

  readonly #fetch: typeof globalThis.fetch = (input, init) => {
    const body = new URLSearchParams(String(init?.body))
    this.sent.push({ url: String(input), body })
    if (body.has('device_code')) {
      const { seconds, from } = this.#required
      expect(this.time.now - from, 'milliseconds before a poll').toBeGreaterThanOrEqual(seconds * 1000)
    }
    return new Promise((resolve, reject) => {
      const request = { resolve, reject }
      this.#open.push(request)
      init?.signal?.addEventListener('abort', () => {
        this.#open = this.#open.filter((other) => other !== request)
        reject(new DOMException('aborted', 'AbortError'))
      })
    })
  }

  /** Records the transitions that an event will cause: it is inspected before the machine receives it. */
  #note(inspected: InspectionEvent): void {
    if (inspected.type !== '@xstate.event' || inspected.actorRef !== this.#actor) return
    const event = inspected.event as EventFromLogic<typeof deviceMachine>
    for (const transition of deviceMachine.getTransitionData(this.snapshot, event)) this.taken.add(transition)
  }

  async #response(response: WireResponse | undefined): Promise<void> {
    const [request, ...others] = this.#open
    if (request === undefined || others.length > 0) throw new Error('one request must be on its way')
    this.#open = []
    if (response === undefined) request.reject(new TypeError('fetch failed'))
    else {
      const { body, ...init } = response
      this.#require(body)
      request.resolve(new Response(body, init))
    }
    this.#required.from = this.time.now
    await this.time.advance(0)
  }

  /** Spec 3, 7: the interval of the codes; each `slow_down` adds five seconds, or says more. */
  #require(body: string): void {
    const { interval, error } = body.startsWith('{') ? JSON.parse(body) : {}
    const { seconds } = this.#required
    if (error === 'slow_down') this.#required.seconds = Math.max(seconds + 5, interval ?? 0)
    else if (interval !== undefined) this.#required.seconds = interval
  }

  async #nothingHappensFor(milliseconds: number): Promise<void> {
    const { sent } = this
    const before = { sent: sent.length, state: this.snapshot.value }
    await this.time.advance(milliseconds)
    expect({ sent: sent.length, state: this.snapshot.value }).toEqual(before)
  }

  async #send(type: 'wake' | 'cancel'): Promise<void> {
    this.#actor?.send({ type })
    await this.time.settle()
  }
}
