import { deviceAuthorization } from 'authgraph/machines'
import type { ReceivedEvent } from '../../src/cli/watch/stream.ts'
import type { RecordedState, RecordedTransition } from '../../src/recording/events.ts'
import { stateId } from '../../src/recording/state-id.ts'
import { readMachine } from '../tools/read-machine.ts'
import { find } from './elements.ts'
import { Lights } from './lights.ts'
import { showDevice } from './show-device.ts'
import { logTransition } from './show-log.ts'
import { type Countdown, showRings } from './show-rings.ts'
import { showMessage } from './show-wire.ts'

/** Milliseconds between two updates of the countdowns. */
const TICK = 100

/** Milliseconds that a message takes to travel. */
const TRAVEL = 400

const machine = readMachine(deviceAuthorization)
const lights = new Lights(find('#device-picture'), machine)
const stream = new EventSource('events')

/** How far the clock of the command is ahead of this page, when the login began, and when this page opened. */
let clock = { ahead: 0, began: 0, opened: 0 }
let state: RecordedState | undefined

/** The listener of each type of event. */
const LISTENERS: {
  readonly [Type in ReceivedEvent['type']]: (event: Extract<ReceivedEvent, { type: Type }>) => void
} = {
  clock: ({ at, began }) => {
    clock = { ahead: at - Date.now(), began, opened: at }
    showConnection('open', 'Following your terminal.')
  },
  state: showState,
  transition: showTransition,
  message: (message) => showMessage(message, message.at < clock.opened ? 0 : TRAVEL),
  end: ({ text }) => end(text),
}

function receive<Type extends ReceivedEvent['type']>(event: Extract<ReceivedEvent, { type: Type }>): void {
  LISTENERS[event.type as Type](event)
}

function showState(event: RecordedState): void {
  state = event
  const { value, view, times } = event
  lights.light(stateId(value))
  showDevice(view, times?.interval)
  // Announces only the result of a poll.
  if (view.activity !== 'polling') announce(view.text)
  tick()
}

function showTransition({ from, event, branch, to, at }: RecordedTransition & { readonly at: number }): void {
  const branches = machine.transitions.filter(
    (transition) => transition.from === from && transition.definition.eventType === event,
  )
  const transition = branches[branch]
  if (transition === undefined) return
  lights.flash(transition)
  logTransition((at - clock.began) / 1000, 'device', transition, stateId(to))
}

/** Shows how much time is left. */
function tick(): void {
  const { view, times } = state ?? {}
  const { activity } = view ?? {}
  const now = Date.now() + clock.ahead
  const isWaiting = activity === 'waiting' || activity === 'retrying'
  showRings(
    isWaiting && times ? between(times.lookedAt, now, times.nextPollAt) : undefined,
    activity && times ? { left: (times.expiresAt - now) / 1000, of: times.lifetime } : undefined,
  )
}

function between(from: number, now: number, to: number): Countdown {
  return { left: (to - now) / 1000, of: (to - from) / 1000 }
}

/** Stops listening. The page keeps its last state. */
function end(text: string): void {
  stream.close()
  clearInterval(ticking)
  showRings(undefined, undefined)
  showConnection('over', `The login has ended. ${text}`)
  announce(`The login has ended. ${text}`)
}

function showConnection(connection: 'open' | 'lost' | 'over', text: string): void {
  const shown = find('#connection')
  shown.dataset.connection = connection
  shown.textContent = text
}

/** Announces a text to screen readers, once. */
function announce(words: string): void {
  const announcer = find('#announcer')
  if (announcer.textContent !== words) announcer.textContent = words
}

stream.addEventListener('message', ({ data }) => receive(JSON.parse(data)))
stream.addEventListener('error', () =>
  showConnection('lost', 'Connection lost. If the command is still running, this page will reconnect.'),
)
// Scrollable areas must be reachable by keyboard.
for (const scrolling of document.querySelectorAll<HTMLElement>('.scrolls')) scrolling.tabIndex = 0
const ticking = setInterval(tick, TICK)
