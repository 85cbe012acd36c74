import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import type { Subscribable } from 'xstate'
import { type Clock, systemClock } from '../request/clock.ts'

/** The current snapshot of an actor; `undefined` without one. */
export function useSnapshot<Snapshot>(
  actor: (Subscribable<Snapshot> & { getSnapshot(): Snapshot }) | undefined,
): Snapshot | undefined {
  const subscribe = useCallback(
    (onChange: () => void) => {
      // An actor that is stopped completes without another snapshot.
      const subscription = actor?.subscribe({ next: onChange, complete: onChange, error: onChange })
      return () => subscription?.unsubscribe()
    },
    [actor],
  )
  const read = () => actor?.getSnapshot()
  return useSyncExternalStore(subscribe, read, read)
}

/** The time in epoch milliseconds, which advances every second while something counts down. */
export function useTime(isCounting: boolean, clock: Pick<Clock, 'now'> = systemClock): number {
  const [, tick] = useState(0)
  useEffect(() => {
    if (!isCounting) return
    const timer = setInterval(() => tick((ticks) => ticks + 1), 1000)
    return () => clearInterval(timer)
  }, [isCounting])
  return clock.now()
}
