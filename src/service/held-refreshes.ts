/** Milliseconds between two looks at a refresh token that another instance is spending. */
const PAUSE = 50

/** How often a request looks: for ten seconds, as long as a lease. */
export const MOST_LOOKS = 200

/** Holds requests while another one spends the same refresh token. */
export function createHeldRefreshes() {
  const spending = new Map<string, Promise<unknown>>()

  return {
    /** Spends a refresh token. Other requests of this process wait for the result. */
    async spend<Result>(token: string, task: () => Promise<Result>): Promise<Result> {
      const result = task()
      spending.set(
        token,
        result.catch(() => undefined),
      )
      try {
        return await result
      } finally {
        spending.delete(token)
      }
    },

    /** Waits for the request of this process that spends the token or, if another instance does, for a moment. */
    wait: (token: string): Promise<unknown> =>
      spending.get(token) ?? new Promise((resolve) => setTimeout(resolve, PAUSE)),
  }
}

export type HeldRefreshes = ReturnType<typeof createHeldRefreshes>
