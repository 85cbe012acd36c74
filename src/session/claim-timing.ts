import { LAPSE_PATIENCE } from '../../machines/session.ts'
import { DEFAULT_REUSE_WINDOW } from '../protocol/endpoints.ts'

/**
 * Milliseconds after which a claim lapses if nobody can tell whether its owner is alive: on another host, in another
 * container, in a worker thread. The session that waits counts them.
 */
export const LAPSE = 22_000

/** Milliseconds from the claim within which a request is begun, and within which its headers are sent. */
export const SENDING_BOUND = 12_000
export const HEADERS_BOUND = LAPSE - 2000

/** Seconds after which a session gives up a refresh request. */
export const REFRESH_TIMEOUT = 8

/** Milliseconds of the reuse window that remain for the one that takes over. */
const MARGIN = 5000

// The owner of a claim has finished before it lapses, and who takes it over is inside the reuse window.
const isSound =
  SENDING_BOUND + REFRESH_TIMEOUT * 1000 < LAPSE &&
  LAPSE < DEFAULT_REUSE_WINDOW * 1000 - MARGIN &&
  LAPSE < LAPSE_PATIENCE
if (!isSound) throw new RangeError('the times of a claim contradict each other')

/** Node's own clock, which also counts the time that the machine sleeps. */
const os = globalThis.process?.getBuiltinModule?.('node:os')

/** A point in time on every clock that there is, in milliseconds: one of them may stand still or be set. */
export type Moment = readonly number[]

/** Returns the present moment. */
export function momentOf(clock: { now(): number }): Moment {
  return [clock.now(), performance.now(), sinceBoot()]
}

/** Milliseconds since a moment, by the clock that went furthest. */
export function elapsedSince(moment: Moment, clock: { now(): number }): number {
  return Math.max(...momentOf(clock).map((now, index) => now - (moment[index] ?? now)))
}

/** 0 where the system does not tell: Deno asks for a permission, and some runtimes return NaN. */
function sinceBoot(): number {
  try {
    return (os?.uptime() || 0) * 1000
  } catch {
    return 0
  }
}

/** What the requests of a refresh are checked against. */
interface Guarded {
  /** Whether it is too late to send anything. */
  isTooLate(): boolean
}

/** Node announces each request, and each time just before it writes the headers of one to its socket. */
const channels = globalThis.process?.getBuiltinModule?.('node:diagnostics_channel')
const hooks = globalThis.process?.getBuiltinModule?.('node:async_hooks')

let context: { run<Result>(guarded: Guarded, send: () => Result): Result } | undefined

/**
 * Sends requests whose headers are not written if it is too late then. Between a call of `fetch` and its headers, a
 * process can be stopped for any time: while it looks up the host, or while it connects. Only Node's `fetch` and the
 * package `undici` can be guarded; with any other, the requests are just sent.
 */
export function guardHeaders<Result>(guarded: Guarded, send: () => Result): Result {
  context ??= listen()
  return context ? context.run(guarded, send) : send()
}

function listen(): typeof context {
  if (channels === undefined || hooks === undefined) return undefined
  const calls = new hooks.AsyncLocalStorage<Guarded>()
  const requests = new WeakMap<object, Guarded>()
  channels.subscribe('undici:request:create', (message) => {
    const { request } = message as { readonly request: object }
    const guarded = calls.getStore()
    if (guarded) requests.set(request, guarded)
  })
  channels.subscribe('undici:client:sendHeaders', (message) => {
    const { request, socket } = message as { request: object; socket: { destroy(error: Error): void } }
    if (requests.get(request)?.isTooLate()) socket.destroy(new Error('it is too late to send the request'))
  })
  return calls
}
