import { createDeviceAuthorization, type DeviceSnapshot, github, viewOf, watch } from 'authgraph'
import { deviceAuthorization, deviceGrant, grantValue } from 'authgraph/machines'
import type { Decision } from 'authgraph/service'
import { stateId } from '../../src/recording/state-id.ts'
import { takenTransitions } from '../../src/recording/taken-transitions.ts'
import { readMachine, type Transition } from '../tools/read-machine.ts'
import { find } from './elements.ts'
import { Lights } from './lights.ts'
import { browserClock, PacedClock } from './paced-clock.ts'
import { Phone } from './phone.ts'
import { showDevice } from './show-device.ts'
import { logTransition } from './show-log.ts'
import { showRings } from './show-rings.ts'
import { showMessage } from './show-wire.ts'
import { AUTH_URL, CLIENT, createWatchedService, type Grant, type Step } from './watched-service.ts'
import { type Fault, LATENCY, Wire } from './wire.ts'

/** The speeds of the slider, in order. */
const SPEEDS = [1, 2, 5, 10, 30, 60, 120]

/** The rate of a fast device clock. */
const FAST = 1.2

/** The maximum speed while a request is in flight: requests have a timeout, and browsers are not faster. */
const TRAFFIC_SPEED = 30

/** Milliseconds between two updates of the countdowns. */
const TICK = 100

/** The states that screen readers announce. Announcing every poll would be too much. */
const DECIDED = new Set<Grant['state']>(['approved', 'denied', 'authorized', 'expired'])

/** The states of a grant that stay as they are when its lifetime ends. */
const OVER = new Set<Grant['state']>(['denied', 'authorized', 'expired'])

const time = new PacedClock(browserClock)
const devicesMachine = readMachine(deviceAuthorization)
const deviceLights = new Lights(find('#device-picture'), devicesMachine)
const serviceMachine = readMachine(deviceGrant)
const serviceLights = new Lights(find('#service-picture'), serviceMachine)
let flow: Flow | undefined
let requestsUnderway = 0

/** One authorization, from `start` to `end`. */
class Flow {
  readonly deviceClock = new PacedClock(time)
  readonly wire: Wire
  readonly #began = time.now()
  readonly #service = createWatchedService(time, (step) => this.#onServiceStep(step))
  readonly #actor
  readonly #phone: Phone
  #decision: 'approve' | 'deny' = 'approve'
  #grant: Grant | undefined

  constructor() {
    deviceLights.clear()
    serviceLights.clear()
    find('#transitions').replaceChildren()
    find('#exchanges').replaceChildren()
    this.wire = new Wire(this.#service.fetch, time, (message) => showMessage(message, LATENCY / rate()))
    this.#actor = createDeviceAuthorization({
      clientId: CLIENT.clientId,
      scopes: ['repo', 'gist'],
      provider: github({ authUrl: AUTH_URL, baseUrl: AUTH_URL }),
      fetch: (input, init) => underway(this.wire.fetch(input, init)),
      clock: this.deviceClock,
      inspect: takenTransitions((definition, after) => {
        const transition = devicesMachine.transitions.find((one) => one.definition === definition)
        if (transition) this.#onDeviceTransition(transition, after)
      }),
    })
    this.#phone = new Phone(CLIENT.name, ['repo', 'gist'], {
      lookUp: (code) => this.#lookUp(code),
      decide: (decision, code) => this.#decide(decision, code),
    })
    this.#showGrant(undefined)
  }

  start(): void {
    this.#actor.start()
    watch(this.#actor, (snapshot) => this.#onDeviceState(snapshot))
  }

  cancel(): void {
    this.#actor.send({ type: 'cancel' })
  }

  /** Makes the device re-check its clock after it, or the browser, slept. */
  wake(): void {
    this.#actor.send({ type: 'wake' })
  }

  /** Stops the flow. The page keeps its last state. */
  end(): void {
    this.#phone.close()
    this.#actor.stop()
  }

  /** Shows how much time is left. */
  tick(): void {
    const { context, status } = this.#actor.getSnapshot()
    const now = this.deviceClock.now()
    const { activity } = viewOf(this.#actor.getSnapshot(), now)
    const isWaiting = activity === 'waiting' || activity === 'retrying'
    const { codes, nextPollAt, lookedAt, expiresAt } = context
    showRings(
      isWaiting ? { left: (nextPollAt - now) / 1000, of: (nextPollAt - lookedAt) / 1000 } : undefined,
      codes && status === 'active' ? { left: (expiresAt - now) / 1000, of: codes.expiresIn } : undefined,
    )
    // The machine of the service takes a transition only when a request arrives, and none arrives for expired codes.
    if (this.#grant && this.#isOverdue(this.#grant)) this.#showGrant({ ...this.#grant, state: 'expired' })
  }

  #onDeviceTransition(transition: Transition, snapshot: DeviceSnapshot): void {
    deviceLights.flash(transition)
    const { error } = viewOf(snapshot, this.deviceClock.now())
    logTransition(this.#seconds(), 'device', transition, stateId(snapshot.value), error?.message)
  }

  #onDeviceState(snapshot: DeviceSnapshot): void {
    const view = viewOf(snapshot, this.deviceClock.now())
    deviceLights.light(stateId(snapshot.value))
    showDevice(view, snapshot.context.codes && snapshot.context.interval)
    if (view.userCode) this.#phone.offer(view.userCode)
    // Announces only the result of a poll.
    if (view.activity !== 'polling') announce(`Device: ${view.text}`)
    if (snapshot.output) this.#phone.close(snapshot.output.status)
    showRunning(snapshot.status === 'active')
    this.tick()
  }

  /** What the service responds to a code before it asks for a decision. */
  #lookUp(code: string): Decision {
    const { codes } = this.#actor.getSnapshot().context
    if (codes === undefined || lettersOf(code) !== lettersOf(codes.userCode)) return 'unknown'
    return this.#grant?.state === 'expired' ? 'expired' : 'done'
  }

  async #decide(decision: 'approve' | 'deny', code: string): Promise<void> {
    this.#decision = decision
    this.#phone.response(
      decision,
      await (decision === 'approve'
        ? this.#service.approve(code, { id: 1, login: 'octocat' })
        : this.#service.deny(code)),
    )
  }

  #onServiceStep({ before, after }: Step): void {
    const transition =
      before &&
      serviceLights.find(
        grantId(before),
        grantId(after),
        ({ trigger }) =>
          trigger.name === this.#decision || ['poll', 'issued', 'notIssued'].includes(trigger.name),
      )
    if (transition) {
      serviceLights.flash(transition)
      logTransition(this.#seconds(), 'service', transition, grantId(after))
    }
    this.#showGrant(after)
    if (DECIDED.has(after.state)) announce(`Service: ${textOf(after)}`)
  }

  #isOverdue({ state, expiresAt }: Grant): boolean {
    return !OVER.has(state) && time.now() >= expiresAt
  }

  #showGrant(grant: Grant | undefined): void {
    this.#grant = grant
    serviceLights.light(grant && grantId(grant))
    find('#service-text').textContent = grant ? textOf(grant) : 'No device has requested codes yet.'
    find('#service-interval').textContent = grant ? `${grant.interval} s` : '–'
  }

  #seconds(): number {
    return (time.now() - this.#began) / 1000
  }
}

function textOf(grant: Grant): string {
  return serviceMachine.states.find(({ id }) => id === grantId(grant))?.text ?? ''
}

/** The path of the state of a grant, such as `undecided.pending`. */
function grantId({ state }: Grant): string {
  return stateId(grantValue(state))
}

/** Users type codes in lower case, and without the hyphen. */
function lettersOf(code: string): string {
  return code.toUpperCase().replaceAll(/[^A-Z]/g, '')
}

/** Announces a text to screen readers, once. */
function announce(words: string): void {
  const announcer = find('#announcer')
  if (announcer.textContent !== words) announcer.textContent = words
}

function speed(): number {
  return SPEEDS[Number(find<HTMLInputElement>('#speed').value)] ?? 1
}

function showSpeed(): void {
  const input = find<HTMLInputElement>('#speed')
  const words = `${speed()} ×`
  find('#speed-value').textContent = words
  input.setAttribute('aria-valuetext', `${speed()} times as fast`)
  time.setRate(rate())
}

function rate(): number {
  return requestsUnderway > 0 ? Math.min(speed(), TRAFFIC_SPEED) : speed()
}

/** Slows time down while a request is in flight. */
async function underway<T>(request: Promise<T>): Promise<T> {
  requestsUnderway += 1
  time.setRate(rate())
  try {
    return await request
  } finally {
    requestsUnderway -= 1
    time.setRate(rate())
  }
}

function showRunning(isRunning: boolean): void {
  find('#start').textContent = flow ? 'Restart' : 'Start'
  find<HTMLButtonElement>('#cancel').disabled = !isRunning
  for (const button of faultButtons()) button.disabled = !isRunning
}

function faultButtons(): HTMLButtonElement[] {
  return [...document.querySelectorAll<HTMLButtonElement>('[data-fault]')]
}

function press(button: HTMLButtonElement, isPressed: boolean): void {
  button.setAttribute('aria-pressed', String(isPressed))
}

function isPressed(button: HTMLButtonElement): boolean {
  return button.getAttribute('aria-pressed') === 'true'
}

/** The actions of the buttons that stay pressed. */
const SWITCHES: Readonly<Record<string, (flow: Flow, isOn: boolean) => void>> = {
  fast: ({ deviceClock }, isOn) => deviceClock.setRate(isOn ? FAST : 1),
  offline: ({ wire }, isOn) => {
    wire.isOffline = isOn
  },
  sleep: (flow, isOn) => {
    if (isOn) return flow.deviceClock.sleep()
    flow.deviceClock.wake()
    flow.wake()
  },
}

function onFault(button: HTMLButtonElement): void {
  if (flow === undefined) return
  const name = button.dataset.fault ?? ''
  const isOn = !isPressed(button)
  const change = SWITCHES[name]
  if (change) change(flow, isOn)
  else flow.wire.fault = isOn ? (name as Fault) : undefined
  for (const other of faultButtons()) if (!change && !SWITCHES[other.dataset.fault ?? '']) press(other, false)
  press(button, isOn)
  find('#screen').classList.toggle('asleep', isPressed(find<HTMLButtonElement>('[data-fault="sleep"]')))
}

function start(): void {
  flow?.end()
  for (const button of faultButtons()) press(button, false)
  find('#screen').classList.remove('asleep')
  flow = new Flow()
  flow.start()
}

find('#start').addEventListener('click', start)
find('#cancel').addEventListener('click', () => flow?.cancel())
find('#speed').addEventListener('input', showSpeed)
// Scrollable areas must be reachable by keyboard.
for (const scrolling of document.querySelectorAll<HTMLElement>('.scrolls')) scrolling.tabIndex = 0
for (const button of faultButtons()) button.addEventListener('click', () => onFault(button))
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') flow?.wake()
})
setInterval(() => {
  flow?.tick()
  // Releases the button of a fault that has happened.
  for (const button of faultButtons())
    if (!SWITCHES[button.dataset.fault ?? ''] && flow?.wire.fault !== button.dataset.fault)
      press(button, false)
}, TICK)
showSpeed()
showRunning(false)
showRings(undefined, undefined)
