import type { AnyTransitionDefinition, InspectionEvent } from 'xstate'
import { type DeviceSnapshot, viewOf } from '../../client/view.ts'
import type { StateEvent, TransitionTaken, WatchEvent } from './events.ts'
import { type Message, shownRequest, shownResponse } from './messages.ts'
import { takenTransitions } from './taken-transitions.ts'

/** Options of an authorization that make it observable. */
export interface Observed {
  readonly fetch: typeof globalThis.fetch
  readonly inspect: (event: InspectionEvent) => void
}

/**
 * Reports the states, transitions and messages of an authorization until its end.
 *
 * @param fetch Sends the requests.
 */
export function observe(fetch: typeof globalThis.fetch, report: (event: WatchEvent) => void): Observed {
  const inspectTransitions = takenTransitions((transition, after) => report(transitionOf(transition, after)))
  return {
    fetch: observedFetch(fetch, (message) => report({ type: 'message', ...message })),
    inspect: (event) => {
      // The child actors of requests are inspected too.
      if (event.actorRef.sessionId !== event.rootId) return
      inspectTransitions(event)
      if (event.type === '@xstate.snapshot') reportState(event.snapshot as DeviceSnapshot, report)
    },
  }
}

function reportState(snapshot: DeviceSnapshot, report: (event: WatchEvent) => void): void {
  if (snapshot.status === 'stopped') {
    report({ type: 'end', text: 'Stopped in the terminal.' })
    return
  }
  const state = stateOf(snapshot)
  report(state)
  if (snapshot.status !== 'active') report({ type: 'end', text: state.view.text })
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

function observedFetch(
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
