import type { AnyActorLogic, EventObject, OutputFrom } from 'xstate'

/**
 * Makes the function that reads what an actor returned. The event that contains it is not among the declared events of
 * a machine, so that it cannot be sent. Another event makes the function throw.
 */
export function outputReader<Actors extends Readonly<Record<string, AnyActorLogic>>>() {
  return <Id extends keyof Actors & string>(event: EventObject, id: Id): OutputFrom<Actors[Id]> =>
    memberOf(event, `xstate.done.actor.${id}`, 'output') as OutputFrom<Actors[Id]>
}

/** Reads why an actor failed. Any other event makes it throw. */
export function errorOf(event: EventObject): unknown {
  return memberOf(event, 'xstate.error.actor.', 'error')
}

function memberOf(event: EventObject, type: string, name: string): unknown {
  if (!event.type.startsWith(type)) throw new TypeError(`the event ${event.type} has no "${name}"`)
  return (event as EventObject & Readonly<Record<string, unknown>>)[name]
}
