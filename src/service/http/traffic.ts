import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests of one connection that may be without a response. Clients that pipeline send about ten at once. */
const MOST_PIPELINED = 32

/** How many requests came over one connection, and how many of them are done: responses leave in the same order. */
interface Counts {
  begun: number
  done: number
}

/** Somebody who waits until the first `until` requests of a connection are done. */
interface Wait {
  readonly counts: Counts
  readonly until: number
  readonly resolve: () => void
}

/**
 * Counts the requests that have no response yet. It keeps numbers, not the requests: the garbage collector would
 * promote each request that something old refers to.
 *
 * @param onDone Called after each request that is done.
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
      // Node says nothing of those that were queued behind another response.
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
    /** Counts a request. False for one of a connection that sends requests and reads no response: it is ended. */
    admit({ socket }: IncomingMessage, response: ServerResponse): boolean {
      // Node hands over what else it had read of a connection that was ended.
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

    /** Whether every request has its response. */
    isQuiet: () => inFlight === 0,

    /** Resolves when the requests that have no response now are done. */
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
