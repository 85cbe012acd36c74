import { expect } from 'vitest'
import { holdDuringReads } from '../../docs/break/hold-during-reads.ts'
import { dpop } from '../../src/dpop/index.ts'
import {
  createDeviceAuthorization,
  type DeviceAuthorizationActor,
  type DeviceSnapshot,
  type DeviceView,
  resumeDeviceAuthorization,
  Secret,
  viewOf,
} from '../../src/index.ts'
import type { DeviceStep, WireResponse } from '../../src/testing/index.ts'
import { type DeviceSituation, type DeviceWalkStep, stateName } from '../../src/testing/paths/device-walk.ts'
import { VirtualTime } from '../../src/testing/sandbox/virtual-time.ts'
import { Challenges, KEY, PUBLIC_KEY, RESOURCE } from './challenges.ts'
import { HeldRequests } from './held-requests.ts'
import { LATENCY } from './path-sets.ts'
import type { Driven } from './prove-walks.ts'

const CODES_FIELDS = { client_id: 'client-id-in-the-clear', scope: 'repo,gist' }

/** Each request of a login, by the specification (3, 4.1, 4.2). */
const REQUESTS = {
  codes: { url: 'https://github.com/login/device/code', fields: CODES_FIELDS },
  poll: {
    url: 'https://github.com/login/oauth/access_token',
    fields: {
      client_id: 'client-id-in-the-clear',
      device_code: '0000000000000000000000000000000000000000',
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    },
  },
  resumedPoll: {
    url: 'https://github.com/login/oauth/access_token',
    fields: {
      client_id: 'sample-client-id',
      device_code: '1111111111111111111111111111111111111111',
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    },
  },
} as const

/** What a user sees in each state. */
const SHOWN: Readonly<Record<string, { readonly activity?: DeviceView['activity']; readonly text: string }>> =
  {
    requesting: { activity: 'requesting', text: 'Requesting a code.' },
    'waiting.requested': { activity: 'waiting', text: 'Enter the code at the address shown.' },
    'waiting.pending': { activity: 'waiting', text: 'Waiting for the code to be entered.' },
    'waiting.slowed': {
      activity: 'waiting',
      text: 'Waiting for the code to be entered; the service asked to slow down.',
    },
    'waiting.retrying': { activity: 'retrying', text: 'No usable response yet; trying again.' },
    polling: { activity: 'polling', text: 'Checking whether the code was entered.' },
    authorized: { text: 'Authorized.' },
    expired: { text: 'The code has expired. Start again to get a new one.' },
    denied: { text: 'The request was denied.' },
    failed: { text: 'Something went wrong.' },
    cancelled: { text: 'Cancelled.' },
  }

/** The status that a response leads to, whatever the state becomes. Others do not change it. */
const STATUS_AFTER: Readonly<Record<string, DeviceView['status']>> = {
  pending: 'pending',
  pendingWith400: 'pending',
  slowDown: 'slowed',
  slowDownTo30: 'slowed',
}

/** The error that a view shows while it is retried, or when it ended the login. */
const ERROR_AFTER: Readonly<Record<string, NonNullable<DeviceView['error']>['code']>> = {
  'codes refused': 'refused',
  'codes disabled': 'refused',
  'codes incomplete': 'bad_response',
  'codes unreadable': 'bad_response',
  'codes failing': 'refused',
  'codes redirected': 'redirected',
  'codes unreachable': 'unreachable',
  unusableToken: 'bad_response',
  refused: 'refused',
  unknownCode: 'refused',
  failing: 'refused',
  busy: 'refused',
  refusedProof: 'refused',
  unreadable: 'bad_response',
  redirected: 'redirected',
  unreachable: 'unreachable',
  silence: 'timed_out',
}

/** What is compared of a device: all that is no object of the flow, no function and no random key. */
export function comparableOf(snapshot: DeviceSnapshot) {
  const { flow, codes, dpopKey, token, error, ...context } = snapshot.context
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

/**
 * The real client under virtual time; its service does what the steps of a path say. If the login is bound to a key, the
 * service challenges each request before it takes the step.
 */
export class DrivenDevice implements Driven<DeviceSituation, DeviceWalkStep> {
  readonly time = new VirtualTime()
  readonly #challenges: Challenges | undefined
  /** The key of the login, if it is bound to one. */
  #jwk: unknown
  #sent = 0
  #actor: DeviceAuthorizationActor | undefined
  readonly #open = new HeldRequests()
  /** Milliseconds by which the device's clock is behind its timers. */
  #lag = 0
  #broken = false
  /** By the specification alone: seconds between two polls, and from when on they count. */
  #required = { seconds: 0, from: 0 }
  /** What a user must see, and until when, by the responses alone. */
  readonly #shown: {
    status: DeviceView['status']
    error?: string | undefined
    polls: number
    until: number | undefined
  } = {
    status: 'requested',
    polls: 0,
    until: undefined,
  }
  /** Whether no poll was sent after the codes had expired by the clock. */
  #polledInTime = true
  /** Whether the login was resumed. */
  #isResumed = false

  constructor(isBound: boolean) {
    this.#challenges = isBound ? new Challenges() : undefined
    // WebCrypto takes no virtual time.
    holdDuringReads(this.time)
  }

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
      const options = { clock: { ...clock, now }, fetch: this.#fetch, random: () => 0 }
      const bound = this.#challenges && { dpop: dpop(), resource: RESOURCE }
      this.#actor = resume
        ? resumeDeviceAuthorization(
            bound ? { ...resume, dpopKey: KEY.reveal(), resource: [RESOURCE] } : resume,
            {
              ...options,
              ...(bound && { dpop: bound.dpop }),
            },
          )
        : createDeviceAuthorization({
            ...options,
            ...bound,
            clientId: 'client-id-in-the-clear',
            scopes: ['repo', 'gist'],
          })
      if (resume) {
        this.#isResumed = true
        this.#required = { seconds: resume.interval, from: resume.nextPollAt - resume.interval * 1000 }
        Object.assign(this.#shown, { status: resume.status, until: resume.expiresAt })
      }
      this.#actor.start()
      await this.time.settle()
    },
    codes: async ({ response, result }) => {
      await this.#response(response)
      // The lifetime of 900 seconds began when the request was sent.
      if (result === 'codes') this.#shown.until = this.time.now - LATENCY + 900_000
    },
    response: ({ response }) => this.#response(response),
    silence: async ({ milliseconds }) => {
      await this.#nothingHappensFor(milliseconds - 1)
      await this.time.advance(1)
      this.#required.from = this.time.now
    },
    wait: async ({ until, milliseconds }) => {
      if (until === 'due') {
        await this.#nothingHappensFor(milliseconds - 1)
        const sent = this.#sent
        await this.time.advance(1)
        expect(this.#sent).toBe(sent + 1)
      } else {
        await this.#nothingHappensFor(milliseconds)
        if (until === 'usual') return
        // The timer runs its whole time, and finds a clock that shows a millisecond less.
        this.#lag += 1
        await this.#nothingHappensFor(1)
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
      await this.#response(undefined, 0)
      this.#broken = false
    },
  }

  async take(step: DeviceWalkStep, expected: DeviceSituation): Promise<DeviceSituation> {
    const executor = this.executors[step.type] as ((step: DeviceStep) => Promise<void>) | undefined
    if (executor === undefined) throw new Error(`there is no executor for "${step.type}"`)
    await executor(step as DeviceStep)
    const { device } = expected
    if (device === undefined) throw new Error('the walk has no device')
    this.#remember(step)
    const { snapshot } = this
    const { codes, interval } = snapshot.context
    const isAsking = snapshot.hasTag('polling') || snapshot.hasTag('requesting')
    const view = viewOf(snapshot, this.time.now)
    expect({
      device: comparableOf(snapshot),
      interval: codes && interval,
      requests: this.#open.count,
      view: { ...view, error: view.error?.code },
    }).toEqual({
      device: this.#boundIfAsked(comparableOf(device)),
      interval: codes && this.#required.seconds,
      requests: isAsking ? 1 : 0,
      view: this.#viewBy(view),
    })
    expect(JSON.parse(JSON.stringify(view))).toStrictEqual(view)
    return { now: this.time.now, device: snapshot }
  }

  /** Gives up what still runs. Nothing is sent after the end, and nothing is left behind. */
  async end(): Promise<void> {
    if (this.snapshot.status === 'active') this.#actor?.send({ type: 'cancel' })
    const sent = this.#sent
    await this.time.advance(3_600_000)
    expect(this.#sent).toBe(sent)
    expect(this.time.timers).toBe(0)
    expect(this.#open.count).toBe(0)
  }

  /** What a device must be like whose token is bound to its key. */
  #boundIfAsked({ token, ...device }: ReturnType<typeof comparableOf>) {
    const bound = { tokenType: 'DPoP', dpopKey: expect.any(Secret) }
    return { ...device, token: token && this.#challenges ? { ...token, ...bound } : token }
  }

  /** Records what a step must show. What a state shows is by the states alone. */
  #remember(step: DeviceWalkStep): void {
    const name =
      step.type === 'codes' ? `codes ${step.result}` : step.type === 'response' ? step.result : step.type
    const shown = this.#shown
    shown.status = STATUS_AFTER[name] ?? shown.status
    if (step.type === 'response' || step.type === 'silence' || step.type === 'codes') {
      const isForgiven = name === 'unknownCode' && this.snapshot.matches('waiting')
      shown.error = isForgiven ? undefined : ERROR_AFTER[name]
    }
  }

  /** The view by the responses. Only the exact seconds of the next poll, and of codes that may have expired, are its own. */
  #viewBy({ secondsLeft = Number.NaN, secondsToNextPoll }: DeviceView) {
    const state = stateName(this.snapshot)
    const { status, error, polls, until } = this.#shown
    const { activity, text } = SHOWN[state] ?? {}
    const isOver = activity === undefined
    const hasCodes = until !== undefined && !isOver
    const hasError = error !== undefined && (!isOver || state === 'failed')
    // A poll that was sent after the codes had expired by the clock may show that the clock was wrong.
    const left = Math.max(0, Math.ceil(((until ?? 0) - this.time.now) / 1000))
    return {
      status: isOver ? state : status,
      activity,
      text,
      polls,
      error: hasError ? error : undefined,
      ...(hasCodes && {
        userCode: 'ABCD-EFGH',
        verificationUri: 'https://github.com/login/device',
        secondsLeft: this.#polledInTime ? left : secondsLeft,
      }),
      secondsToNextPoll,
    }
  }

  readonly #fetch: typeof globalThis.fetch = (input, init) => {
    const isPoll = this.#shown.until !== undefined
    const { url, fields } = REQUESTS[isPoll ? (this.#isResumed ? 'resumedPoll' : 'poll') : 'codes']
    const expected = this.#challenges ? { ...fields, resource: RESOURCE } : fields
    const { method, body, redirect } = init ?? {}
    const { dpop: proof, ...headers } = Object.fromEntries(new Headers(init?.headers))
    const sent = { url: String(input), method, redirect, headers }
    expect({ ...sent, ...readForm(body) }).toEqual({
      url,
      method: 'POST',
      redirect: 'manual',
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      names: Object.keys(expected).sort(),
      fields: expected,
    })
    const challenge = this.#challenges?.respondTo({ url, proof: proof ?? null, now: this.time.now })
    if (challenge) return Promise.resolve(challenge)
    if (this.#challenges) {
      this.#jwk ??= this.#isResumed ? PUBLIC_KEY : this.#challenges.jwk
      expect(this.#challenges.jwk, 'the key of the login').toEqual(this.#jwk)
    }
    this.#sent += 1
    if (isPoll) {
      this.#shown.polls += 1
      if (this.time.now >= (this.#shown.until ?? 0)) this.#polledInTime = false
      const { seconds, from } = this.#required
      expect(this.time.now - from, 'milliseconds before a poll').toBeGreaterThanOrEqual(seconds * 1000)
    }
    return this.#open.hold(init?.signal)
  }

  async #response(response: WireResponse | undefined, latency = LATENCY): Promise<void> {
    await this.#nothingHappensFor(latency)
    if (response) this.#require(response.body)
    const body = this.#challenges ? response?.body.replace('"bearer"', '"DPoP"') : response?.body
    this.#open.respond(response && { ...response, body: body ?? '' })
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
    const before = { sent: this.#sent, state: this.snapshot.value }
    await this.time.advance(milliseconds)
    expect({ sent: this.#sent, state: this.snapshot.value }).toEqual(before)
  }

  async #send(type: 'wake' | 'cancel'): Promise<void> {
    this.#actor?.send({ type })
    await this.time.settle()
  }
}

/** The names of the fields of a form, repeated ones too, and their values. */
function readForm(body: unknown) {
  const form = [...new URLSearchParams(String(body))]
  return { names: form.map(([name]) => name).sort(), fields: Object.fromEntries(form) }
}
