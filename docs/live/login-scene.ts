import { createDeviceAuthorization, github } from 'authgraph'
import { recordLogin } from 'authgraph/recording'
import { isPlaying } from './autoplay.ts'
import { DeviceSide } from './device-side.ts'
import { isCalm } from './elements.ts'
import { loginStory } from './login-story.ts'
import { rate, time, underway } from './pace.ts'
import { PacedClock } from './paced-clock.ts'
import { Phone, showPage, type Task } from './phone.ts'
import type { Scene } from './scene.ts'
import { ServiceSide } from './service-side.ts'
import { showMessage } from './show-wire.ts'
import type { Story } from './story.ts'
import { AUTH_URL, CLIENT, createWatchedService, type Grant } from './watched-service.ts'
import { LATENCY, Wire } from './wire.ts'

/** The rate of a fast device clock. */
const FAST = 1.2

/** What the strip shows while a login waits for its user. */
const YOU = { name: 'you', role: 'waiting' }

/** What the user of this page has to do, and what the autoplay does. */
const TASKS = {
  enter: { user: 'Your turn: enter the code on the phone.', autoplay: 'The user enters the code.' },
  decide: { user: 'Your turn: approve or deny on the phone.', autoplay: 'The user approves the request.' },
}

/** The states of a grant that stay as they are when its lifetime ends. */
const OVER = new Set<Grant['state']>(['denied', 'authorized', 'expired'])

/** In the phone, if nothing plays automatically. */
const HINT = '<p style="margin:1rem;font:15px system-ui">Press Start to log in.</p>'

/** Shows the scene before its start. Returns a function that starts it. */
export function prepareLogin(): (onEnd: () => void) => Scene {
  const sides = { device: new DeviceSide(), service: new ServiceSide() }
  loginStory(sides.device, sides.service)
  showPage(
    '<!doctype html><html lang="en"><head><meta name="color-scheme" content="light dark"><title>Phone</title></head></html>' +
      (isCalm() ? HINT : ''),
  )
  return (onEnd) => new LoginScene(sides, loginStory(sides.device, sides.service), onEnd)
}

interface Sides {
  readonly device: DeviceSide
  readonly service: ServiceSide
}

/** One device login between a real device authorization and a real service. */
class LoginScene implements Scene {
  readonly wires: readonly [Wire]
  isRunning = true
  readonly #sides: Sides
  readonly #story: Story
  readonly #began = time.now()
  readonly #clock = new PacedClock(time)
  readonly #service = createWatchedService(time, (key, before, after) => {
    if (key.startsWith('grant:')) this.#onGrant(after as Grant, before as Grant | undefined)
  })
  readonly #actor
  readonly #phone: Phone
  #grant: Grant | undefined

  /** @param onEnd Called when the login has ended. */
  constructor(sides: Sides, story: Story, onEnd: () => void) {
    this.#sides = sides
    this.#story = story
    const wire = new Wire(this.#service.fetch, time, (message) => {
      const at = this.#at()
      story.add({ at, paint: (isNow) => showMessage(message, at, isNow ? LATENCY / rate() : 0) })
    })
    this.wires = [wire]
    const { inspect } = recordLogin(
      (event) => {
        if (!this.isRunning || event.type === 'message' || event.type === 'grant') return
        if (event.type === 'end') {
          this.isRunning = false
          this.#phone.close()
          onEnd()
          return
        }
        if (event.type === 'state' && event.view.userCode) this.#phone.open(event.view.userCode)
        story.add(sides.device.momentOf(event, this.#at()))
      },
      { clock: this.#clock },
    )
    this.#actor = createDeviceAuthorization({
      clientId: CLIENT.clientId,
      scopes: ['repo', 'gist'],
      provider: github({ authUrl: AUTH_URL, baseUrl: AUTH_URL }),
      fetch: (input, init) => underway(wire.fetch(input, init)),
      clock: this.#clock,
      inspect,
    })
    this.#phone = new Phone(this.#service.fetch, (task) => this.#wait(task))
    this.#actor.start()
  }

  cancel(): void {
    this.#actor.send({ type: 'cancel' })
  }

  wake(): void {
    this.#actor.send({ type: 'wake' })
  }

  end(): void {
    this.isRunning = false
    this.#phone.close()
    this.#actor.stop()
  }

  switch(name: string, isOn: boolean): void {
    if (name === 'fast') this.#clock.setRate(isOn ? FAST : 1)
    if (name === 'offline') this.wires[0].isOffline = isOn
    if (name === 'asleep' && isOn) this.#clock.sleep()
    if (name === 'asleep' && !isOn) {
      this.#clock.wake()
      this.wake()
    }
  }

  tick(): void {
    this.#sides.device.tick(this.#story.isNow ? this.#clock.now() : undefined)
    // The machine of the service takes a transition only when a request arrives, and none arrives for expired codes.
    const grant = this.#grant
    if (grant && !OVER.has(grant.state) && time.now() >= grant.expiresAt)
      this.#onGrant({ ...grant, state: 'expired' }, grant)
  }

  #wait(task: Task | undefined): void {
    const { device } = this.#sides
    const say = task && (() => TASKS[task][isPlaying() ? 'autoplay' : 'user'])
    if (say && device.task)
      this.#story.add({ at: this.#at(), caption: say(), state: YOU, paint: () => undefined })
    device.task = say
  }

  #onGrant(grant: Grant, before: Grant | undefined): void {
    this.#grant = grant
    this.#story.add(this.#sides.service.momentOf(before, grant, this.#at()))
  }

  #at(): number {
    return time.now() - this.#began
  }
}
