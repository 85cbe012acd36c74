import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'

/** How many requests of one connection may wait for a response. Clients that pipeline send about ten at once. */
const MOST_PIPELINED = 32

/** How many requests a connection has sent, and how many are done. Responses leave in the same order. */
interface Counts {
  begun: number
  done: number
}

/** A caller that waits until the first `until` requests of a connection are done. */
interface Wait {
  readonly counts: Counts
  readonly until: number
  readonly resolve: () => void
}

/**
 * Counts the requests in flight. It keeps numbers instead of requests: a reference from an old object would promote each
 * request to the old generation of the garbage collector.
 *
 * @param onDone Called when a request is done.
 */
export function createTraffic(onDone: () => void = () => undefined) {
  const connections = new Map<Socket, Counts>()
  let inFlight = 0
  const waits = new Set<Wait>()

  function countsOf(socket: Socket): Counts {
    const known = connections.get(socket)
    if (known) return known
    const counts = { begun: 0, done: 0 }
    connections.set(socket, counts)
    socket.once('close', () => {
      connections.delete(socket)
      // Node emits no event for requests that were queued behind another response.
      finish(counts, counts.begun - counts.done)
    })
    return counts
  }

  function finish(counts: Counts, times: number): void {
    counts.done += times
    inFlight -= times
    for (const wait of waits) {
      if (wait.counts.done < wait.until) continue
      waits.delete(wait)
      wait.resolve()
    }
    onDone()
  }

  return {
    /** Counts a request. Returns false, and ends the connection, if its client sends requests without reading responses. */
    admit({ socket }: { readonly socket: Socket }, response: ServerResponse | Http2ServerResponse): boolean {
      // Node still emits requests that it had read before the connection ended.
      if (socket.destroyed) return false
      const counts = countsOf(socket)
      if (counts.begun - counts.done >= MOST_PIPELINED) {
        socket.destroy()
        return false
      }
      counts.begun += 1
      inFlight += 1
      response.once('close', () => {
        if (connections.has(socket)) finish(counts, 1)
      })
      return true
    },

    isQuiet: () => inFlight === 0,

    /** Resolves when every request that is in flight now is done. */
    async settled(): Promise<void> {
      const pending = [...connections.values()].filter(({ begun, done }) => done < begun)
      await Promise.all(
        pending.map(
          (counts) =>
            new Promise<void>((resolve) => {
              waits.add({ counts, until: counts.begun, resolve })
            }),
        ),
      )
    },
  }
}

export type Traffic = ReturnType<typeof createTraffic>
