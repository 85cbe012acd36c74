import type { RecordedEvent, RecordedGrant } from '../../src/recording/events.ts'
import { DeviceSide } from './device-side.ts'
import { announce, find } from './elements.ts'
import { loginStory } from './login-story.ts'
import { ServiceSide } from './service-side.ts'
import { showMessage } from './show-wire.ts'

/** Milliseconds that a message takes to travel. */
const TRAVEL = 400

/** A login that was recorded, or is being recorded, with the grant of its service if that was recorded too. */
export class RecordedStory {
  readonly #device = new DeviceSide()
  readonly #service = new ServiceSide()
  readonly story = loginStory(this.#device, this.#service)
  #began: number | undefined
  #grant: RecordedGrant | undefined

  constructor() {
    find('#service').hidden = true
  }

  /** @param isNow Whether the event has just happened. */
  add(event: RecordedEvent, isNow: boolean): void {
    this.#began ??= event.at
    const at = event.at - this.#began
    switch (event.type) {
      case 'state':
      case 'transition':
        this.story.add(this.#device.momentOf(event, at), isNow)
        break
      case 'message':
        this.story.add(
          {
            at,
            paint: (moves) => showMessage(event, at, moves ? TRAVEL : 0, '', 'oldest first'),
            foretell: () => showMessage(event, at, 0, '', 'ahead'),
          },
          isNow,
        )
        break
      case 'grant':
        find('#service').hidden = false
        this.story.add(this.#service.momentOf(this.#grant, event, at), isNow)
        this.#grant = event
        break
      case 'end':
        announce(`The login has ended. ${event.text}`)
    }
  }

  /** @param now Epoch milliseconds by the clock of the device, while the login runs. */
  tick(now?: number): void {
    this.#device.tick(this.story.isNow ? now : undefined)
  }
}
