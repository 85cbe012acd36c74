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
