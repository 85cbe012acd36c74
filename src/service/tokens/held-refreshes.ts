import { keepUntilSettled } from '../limits/keep-until-settled.ts'
import type { Refreshed } from './families.ts'

/** Milliseconds between two looks at a refresh token that another instance is spending. */
const PAUSE = 50

/** Milliseconds for which one request is held at most: as long as a claim. */
const LONGEST = 10_000

/** Holds requests while another one spends the same refresh token. However many they are, one of them looks for the result. */
export function createHeldRefreshes() {
  /** What the requests of this process wait for, by token: that one of them spends it, or a pause. */
  const waits = new Map<string, Promise<unknown>>()
  const looks = new Map<string, Promise<Refreshed>>()

  return {
    async spend<Result>(token: string, task: () => Promise<Result>): Promise<Result> {
      const result = task()
      // Another request may have taken over before: its result is not waited for any more.
      keepUntilSettled(
        waits,
        token,
        result.catch(() => undefined),
      )
      return result
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
          Promise.race([
            over,
            waits.get(token) ??
              keepUntilSettled(waits, token, new Promise((resolve) => setTimeout(resolve, PAUSE))),
          ]),
        /** Looks at the token, unless another request of this process does: then it gets the result of that one. */
        look: (task: () => Promise<Refreshed>): Promise<Refreshed> =>
          looks.get(token) ?? keepUntilSettled(looks, token, task()),
        end: () => clearTimeout(timer),
      }
    },
  }
}
