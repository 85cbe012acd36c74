import {
  type AnyActorLogic,
  assertEvent,
  type EventObject,
  type ExtractEvent,
  fromPromise,
  type OutputFrom,
  type SnapshotFrom,
} from 'xstate'
import type { AnyAuthgraphError } from '../src/errors.ts'

/**
 * Reads the events of the actors of a machine. They are not among its declared events, so that nobody can send them. All
 * functions throw for the event of another actor, or another type of result: then an arrow leads to a wrong action.
 */
export function readActors<Actors extends Readonly<Record<string, AnyActorLogic>>>() {
  type Id = keyof Actors & string
  type ResultOf<From extends Id> = Extract<OutputFrom<Actors[From]>, { readonly type: string }>

  /** What one of these actors returned. */
  function outputOf<From extends Id>(event: EventObject, ...from: readonly From[]): OutputFrom<Actors[From]> {
    return memberOf(event, 'output', typesOf(from)) as OutputFrom<Actors[From]>
  }

  /** What one of these actors returned, if it is of this type. */
  function resultOf<From extends Id, Type extends ResultOf<From>['type']>(
    event: EventObject,
    type: Type,
    ...from: readonly From[]
  ) {
    const result = outputOf(event, ...from) as ResultOf<From>
    if (result.type !== type) throw new TypeError(`the result is "${result.type}" instead of "${type}"`)
    return result as Extract<ResultOf<From>, { readonly type: Type }>
  }

  /** Makes a guard that holds if one of these actors returned a result of this type. */
  function answered<From extends Id>(type: ResultOf<From>['type'], ...from: readonly From[]) {
    const types = typesOf(from)
    return ({ event }: { readonly event: EventObject }) => (memberOf(event, 'output', types) as ResultOf<From>).type === type
  }

  /** The snapshot of this actor. */
  function snapshotOf<From extends Id>(event: EventObject, from: From): SnapshotFrom<Actors[From]> {
    return memberOf(event, 'snapshot', [`xstate.snapshot.${from}`]) as SnapshotFrom<Actors[From]>
  }

  return { answered, outputOf, resultOf, snapshotOf }
}

/** The logic of an actor that must be provided. */
export function toProvide<Output, Input extends object>(name: string) {
  return fromPromise<Output, Input>(() => Promise.reject(new Error(`provide the actor "${name}" before running the machine`)))
}

/** Makes the function that types a guard or an assignment by the events that lead to it. Others make it throw. */
export function readEvents<Context, Event extends EventObject>() {
  return <Type extends Event['type'], Result>(
    types: Type | readonly Type[],
    read: (args: { readonly context: Context; readonly event: ExtractEvent<Event, Type> }) => Result,
  ) =>
    ({ context, event }: { readonly context: Context; readonly event: Event }): Result => {
      assertEvent(event, types)
      return read({ context, event })
    }
}

function typesOf(actors: readonly string[]): string[] {
  return actors.map((id) => `xstate.done.actor.${id}`)
}

/** Why an actor failed: its bugs are kept as errors too. */
export function errorOf(event: EventObject): AnyAuthgraphError {
  return memberOf(event, 'error', ['xstate.error.actor.']) as AnyAuthgraphError
}

function memberOf(event: EventObject, name: string, types: readonly string[]): unknown {
  if (!types.some((type) => event.type.startsWith(type))) throw new TypeError(`the event ${event.type} has no "${name}"`)
  return (event as EventObject & Readonly<Record<string, unknown>>)[name]
}
