import type { AnyTransitionDefinition, InspectionEvent } from 'xstate'
import { type DeviceSnapshot, viewOf } from '../../client/view.ts'
import type { MoveEvent, StateEvent, WatchEvent } from './events.ts'
import { type Message, shownAnswer, shownRequest } from './messages.ts'

/** What an authorization is made with so that it is seen. */
export interface Observed {
  readonly fetch: typeof globalThis.fetch
  readonly inspect: (event: InspectionEvent) => void
}

/**
 * Tells what an authorization does: its states, its moves and its messages, until its end.
 *
 * @param fetch Sends its requests.
 */
export function observe(fetch: typeof globalThis.fetch, tell: (event: WatchEvent) => void): Observed {
  return {
    fetch: observedFetch(fetch, (message) => tell({ type: 'message', ...message })),
    inspect: (event) => {
      // The two requests are actors too.
      if (event.actorRef.sessionId !== event.rootId) return
      if (event.type === '@xstate.microstep')
        for (const transition of event._transitions)
          tell(moveOf(transition, event.snapshot as DeviceSnapshot))
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

function moveOf(transition: AnyTransitionDefinition, { value }: DeviceSnapshot): MoveEvent {
  const { source, eventType } = transition
  const branches = (eventType === '' ? source.always : source.transitions.get(eventType)) ?? []
  return {
    type: 'move',
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
      const answer = await fetch(input, init)
      onMessage({ exchange, kind: 'answer', ...(await shownAnswer(answer, secrets)) })
      return answer
    } catch (error) {
      onMessage({ exchange, kind: 'lost', title: 'no answer', fields: [] })
      throw error
    }
  }
}
