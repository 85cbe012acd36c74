import type { AnyTransitionDefinition, InspectionEvent, StateValue } from 'xstate'
import { deviceAuthorization as machine } from '../../machines/device-authorization.ts'
import { type DeviceSnapshot, viewOf } from '../client/view.ts'
import { systemClock } from '../request/clock.ts'
import type { RequestOptions } from '../request/options.ts'
import type { RecordedEvent, RecordedState, RecordedTransition } from './events.ts'
import { type Message, shownRequest, shownResponse } from './messages.ts'

type DeviceEvent = Parameters<typeof machine.getTransitionData>[1]

/** What a recording uses instead of the globals. */
export interface RecordLoginOptions extends Pick<RequestOptions, 'fetch' | 'clock'> {}

/** Options that make an authorization record itself. */
export interface LoginRecorder {
  /** Records the messages. */
  readonly fetch: typeof globalThis.fetch
  /** Records the states and transitions. */
  readonly inspect: (event: InspectionEvent) => void
}

/**
 * Records the states, transitions and messages of an authorization, with their times and without secrets. Write one event
 * per line, and `authgraph replay` draws the file: attach it to a bug report.
 *
 * @example
 * ```ts
 * import { appendFileSync } from 'node:fs'
 * import { createDeviceAuthorization } from 'authgraph'
 * import { recordLogin } from 'authgraph/recording'
 *
 * const recorder = recordLogin((event) =>
 *   appendFileSync('login.ndjson', `${JSON.stringify(event)}\n`),
 * )
 * createDeviceAuthorization({
 *   clientId: 'YOUR_CLIENT_ID',
 *   ...recorder,
 * }).start()
 * ```
 *
 * @param onEvent Receives each event. Its errors are ignored: a full disk must not end a login.
 */
export function recordLogin(
  onEvent: (event: RecordedEvent) => void,
  { fetch = globalThis.fetch, clock = systemClock }: RecordLoginOptions = {},
): LoginRecorder {
  const at = () => clock.now()
  const report = (event: RecordedEvent) => {
    try {
      onEvent(event)
    } catch {
      // The service has issued the token: an error here would lose it.
    }
  }
  let before: DeviceSnapshot | undefined
  return {
    fetch: recordedFetch(fetch, (message) => report({ type: 'message', ...message, at: at() })),
    inspect: (event) => {
      // The child actors of requests are inspected too.
      if (event.actorRef.sessionId !== event.rootId) return
      if (event.type === '@xstate.microstep') {
        const after = event.snapshot as DeviceSnapshot
        const taken = transitionsFrom(before, event.event as DeviceEvent, after)
        before = after
        for (const transition of taken) report({ ...transitionOf(transition, after), at: at() })
      }
      if (event.type === '@xstate.snapshot') recordState(event.snapshot as DeviceSnapshot, at(), report)
    },
  }
}

/** @param before `undefined` for the first microstep, which leaves the initial state. */
function transitionsFrom(
  before: DeviceSnapshot | undefined,
  event: DeviceEvent,
  after: DeviceSnapshot,
): AnyTransitionDefinition[] {
  if (before) return machine.getTransitionData(before, event)
  const always: AnyTransitionDefinition[] = machine.states.starting?.always ?? []
  return always.filter(({ target }) => target?.some(({ path }) => after.matches(stateValue(path) as never)))
}

function stateValue([first = '', ...rest]: readonly string[]): StateValue {
  return rest.length === 0 ? first : { [first]: stateValue(rest) }
}

function recordState(snapshot: DeviceSnapshot, at: number, onEvent: (event: RecordedEvent) => void): void {
  if (snapshot.status === 'stopped') {
    onEvent({ type: 'end', text: 'Stopped.', at })
    return
  }
  const state = stateOf(snapshot)
  onEvent({ ...state, at })
  if (snapshot.status !== 'active') onEvent({ type: 'end', text: state.view.text, at })
}

function stateOf(snapshot: DeviceSnapshot): RecordedState {
  const { codes, flow, interval, lookedAt, nextPollAt, expiresAt } = snapshot.context
  return {
    type: 'state',
    value: snapshot.value,
    view: viewOf(snapshot, flow.clock.now()),
    ...(codes && { times: { interval, lifetime: codes.expiresIn, lookedAt, nextPollAt, expiresAt } }),
  }
}

function transitionOf(transition: AnyTransitionDefinition, { value }: DeviceSnapshot): RecordedTransition {
  const { source, eventType } = transition
  const branches = (eventType === '' ? source.always : source.transitions.get(eventType)) ?? []
  return {
    type: 'transition',
    from: source.path.join('.'),
    event: eventType,
    branch: branches.indexOf(transition),
    to: value,
  }
}

function recordedFetch(
  fetch: typeof globalThis.fetch,
  onMessage: (message: Message) => void,
): typeof globalThis.fetch {
  let exchanges = 0
  return async (input, init) => {
    const exchange = ++exchanges
    const secrets = new Set<string>()
    onMessage({ exchange, kind: 'request', ...(await shownRequest(new Request(input, init), secrets)) })
    try {
      const response = await fetch(input, init)
      onMessage({ exchange, kind: 'response', ...(await shownResponse(response, secrets)) })
      return response
    } catch (error) {
      onMessage({ exchange, kind: 'lost', title: 'no response', fields: [] })
      throw error
    }
  }
}
