import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import type { Subscribable } from 'xstate'
import { LONGEST_TIMER } from '../request/clock.ts'
import type { Clock } from '../request/options.ts'

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

/** Renders the component again after a delay in milliseconds, unless it renders before. Without a delay, it does not. */
export function useRenderAfter(
  delay: number | undefined,
  clock: Pick<Clock, 'setTimeout' | 'clearTimeout'> | undefined,
): void {
  const [, render] = useState(0)
  // After every render: a delay that is longer than a timer can be continues with the rest of it.
  useEffect(() => {
    if (delay === undefined || clock === undefined) return
    const timer = clock.setTimeout(() => render((count) => count + 1), Math.min(delay, LONGEST_TIMER))
    return () => clock.clearTimeout(timer)
  })
}
