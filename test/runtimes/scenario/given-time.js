/** A clock that jumps to the next timer whenever a flow waits. */
export function givenTime() {
  const start = Date.UTC(2026, 0, 1)
  const timers = new Set()
  let now = start

  function pass() {
    const [next] = [...timers].sort((a, b) => a.due - b.due)
    timers.delete(next)
    now = Math.max(now, next.due)
    next.callback()
  }

  async function until(isTrue) {
    // With a real timer, so that pending requests get their responses.
    while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 0))
  }

  return {
    start,
    clock: {
      now: () => now,
      setTimeout(callback, delay) {
        const timer = { due: now + delay, callback }
        timers.add(timer)
        return timer
      },
      clearTimeout: (timer) => timers.delete(timer),
    },
    until,
    async untilDone(actor) {
      const isDone = () => actor.getSnapshot().status !== 'active'
      const waits = () => actor.getSnapshot().hasTag('waiting')
      for (;;) {
        await until(() => isDone() || waits())
        if (isDone()) return
        pass()
      }
    },
  }
}
