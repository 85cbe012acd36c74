/** Node announces each request, and each time just before it writes the headers of one to its socket. */
const channels = globalThis.process?.getBuiltinModule?.('node:diagnostics_channel')
const hooks = globalThis.process?.getBuiltinModule?.('node:async_hooks')

interface Peer {
  readonly remoteAddress?: string | undefined
}

/** Says why the headers of a request must not be written to a connection, if they must not. */
type Guard = (connection: Peer) => string | undefined

let context:
  | { run<Result>(guard: Guard, send: () => Result): Result; getStore(): Guard | undefined }
  | undefined

/**
 * Sends requests whose headers are not written if a guard forbids it then: it is too late, or the host is at a private
 * address. Between a call of `fetch` and its headers, a process can be stopped for any time: while it looks up the host, or
 * while it connects. Only Node's `fetch` and the package `undici` can be guarded; with any other, the requests are just sent.
 */
export function guardHeaders<Result>(guard: Guard, send: () => Result): Result {
  context ??= listen()
  const outer = context?.getStore()
  const both: Guard = outer ? (connection) => outer(connection) ?? guard(connection) : guard
  return context ? context.run(both, send) : send()
}

function listen(): typeof context {
  if (channels === undefined || hooks === undefined) return undefined
  const calls = new hooks.AsyncLocalStorage<Guard>()
  const requests = new WeakMap<object, Guard>()
  channels.subscribe('undici:request:create', (message) => {
    const { request } = message as { readonly request: object }
    const guard = calls.getStore()
    if (guard) requests.set(request, guard)
  })
  channels.subscribe('undici:client:sendHeaders', (message) => {
    const { request, socket } = message as {
      readonly request: object
      readonly socket: Peer & { destroy(error: Error): void }
    }
    const why = requests.get(request)?.(socket)
    if (why !== undefined) socket.destroy(new Error(why))
  })
  return calls
}
