import type { AnyTransitionDefinition, InspectionEvent } from 'xstate'
import { type DeviceSnapshot, viewOf } from '../../client/view.ts'
import type { StateEvent, TransitionTaken, WatchEvent } from './events.ts'
import { type Message, shownRequest, shownResponse } from './messages.ts'
import { takenTransitions } from './taken-transitions.ts'

/** What an authorization is made with so that it is seen. */
export interface Observed {
  readonly fetch: typeof globalThis.fetch
  readonly inspect: (event: InspectionEvent) => void
}

/**
 * Tells what an authorization does: its states, its transitions and its messages, until its end.
 *
 * @param fetch Sends its requests.
 */
export function observe(fetch: typeof globalThis.fetch, tell: (event: WatchEvent) => void): Observed {
  const inspectTransitions = takenTransitions((transition, after) => tell(transitionOf(transition, after)))
  return {
    fetch: observedFetch(fetch, (message) => tell({ type: 'message', ...message })),
    inspect: (event) => {
      // The two requests are actors too.
      if (event.actorRef.sessionId !== event.rootId) return
      inspectTransitions(event)
      if (event.type === '@xstate.snapshot') tellState(event.snapshot as DeviceSnapshot, tell)
    },
  }
}

function tellState(snapshot: DeviceSnapshot, tell: (event: WatchEvent) => void): void {
  if (snapshot.status === 'stopped') {
    tell({ type: 'end', text: 'Stopped in the terminal.' })
    return
  }
  const state = stateOf(snapshot)
  tell(state)
  if (snapshot.status !== 'active') tell({ type: 'end', text: state.view.text })
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
