/** Milliseconds between two looks at a refresh token that another instance is spending. */
const PAUSE = 50

/** Milliseconds for which one request is held at most: as long as a lease. */
const LONGEST = 10_000

/** Holds requests while another one spends the same refresh token. */
export function createHeldRefreshes() {
  const spending = new Map<string, Promise<unknown>>()

  return {
    /** Spends a refresh token. Other requests of this process wait for the result. */
    async spend<Result>(token: string, task: () => Promise<Result>): Promise<Result> {
      const result = task()
      const settled = result.catch(() => undefined)
      spending.set(token, settled)
      try {
        return await result
      } finally {
        // Another request may have taken over meanwhile.
        if (spending.get(token) === settled) spending.delete(token)
      }
    },

    /** Begins the time for which one request may be held. Call `end` when the request is done. */
    hold(token: string) {
      let isOver = false
      let timer: ReturnType<typeof setTimeout> | undefined
      const over = new Promise<void>((resolve) => {
        timer = setTimeout(() => {
          isOver = true
          resolve()
        }, LONGEST)
      })
      return {
        isOver: () => isOver,
        /** Waits for the request of this process that spends the token or, if another instance does, for a moment. */
        wait: (): Promise<unknown> =>
          Promise.race([over, spending.get(token) ?? new Promise((resolve) => setTimeout(resolve, PAUSE))]),
        end: () => clearTimeout(timer),
      }
    },
  }
}

export type HeldRefreshes = ReturnType<typeof createHeldRefreshes>
