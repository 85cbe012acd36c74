import type { AnyTransitionDefinition, InspectionEvent } from 'xstate'
import { type DeviceSnapshot, viewOf } from '../client/view.ts'
import { type Clock, systemClock } from '../protocol/clock.ts'
import type { RecordedEvent, StateEvent, TransitionTaken } from './events.ts'
import { type Message, shownRequest, shownResponse } from './messages.ts'
import { takenTransitions } from './taken-transitions.ts'

/**
 * Options that make an authorization record itself.
 *
 * @group Recording
 */
export interface Recorder {
  readonly fetch: typeof globalThis.fetch
  readonly inspect: (event: InspectionEvent) => void
}

/**
 * Records the states, transitions and messages of an authorization, with their times and without secrets. Write one event
 * per line, and `authgraph replay` draws the file: attach it to a bug report.
 *
 * @example
 * ```ts
 * import { appendFileSync } from 'node:fs'
 * import { createDeviceAuthorization, record } from 'authgraph'
 *
 * const recorder = record((event) => appendFileSync('login.ndjson', `${JSON.stringify(event)}\n`))
 * createDeviceAuthorization({ clientId: 'Iv1.0123456789abcdef', ...recorder }).start()
 * ```
 *
 * @param onEvent Receives each event.
 * @param options.fetch Sends the requests of the authorization. Default: the global `fetch`.
 * @param options.clock Tells the times. Default: the system clock.
 * @group Recording
 */
export function record(
  onEvent: (event: RecordedEvent) => void,
  {
    fetch = globalThis.fetch,
    clock = systemClock,
  }: { readonly fetch?: typeof globalThis.fetch; readonly clock?: Clock } = {},
): Recorder {
  const at = () => clock.now()
  const inspectTransitions = takenTransitions((transition, after) =>
    onEvent({ ...transitionOf(transition, after), at: at() }),
  )
  return {
    fetch: recordedFetch(fetch, (message) => onEvent({ type: 'message', ...message, at: at() })),
    inspect: (event) => {
      // The child actors of requests are inspected too.
      if (event.actorRef.sessionId !== event.rootId) return
      inspectTransitions(event)
      if (event.type === '@xstate.snapshot') recordState(event.snapshot as DeviceSnapshot, at(), onEvent)
    },
  }
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

function stateOf(snapshot: DeviceSnapshot): StateEvent {
  const { codes, flow, interval, lookedAt, nextPollAt, expiresAt } = snapshot.context
  return {
    type: 'state',
    value: snapshot.value,
    view: viewOf(snapshot, flow.clock.now()),
    ...(codes && { times: { interval, lifetime: codes.expiresIn, lookedAt, nextPollAt, expiresAt } }),
  }
}

function transitionOf(transition: AnyTransitionDefinition, { value }: DeviceSnapshot): TransitionTaken {
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
