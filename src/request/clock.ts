import { AuthgraphError, CancelledError, TimedOutError } from '../errors.ts'
import type { Clock } from './options.ts'

/** The longest timer in milliseconds: runtimes fire a longer one at once. */
export const LONGEST_TIMER = 2 ** 31 - 1

/** Default timeout in seconds. */
const TIMEOUT = 30

/** Looks up the globals on every call, so that fake timers installed later are used. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, delay) => setTimeout(callback, delay),
  clearTimeout: (timer) => clearTimeout(timer),
}

interface WaitLimits {
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
  /** In seconds. */
  readonly timeout?: number
}

/**
 * Runs requests outside of a machine: aborts them on timeout, or when the caller's signal is aborted, and then does not wait
 * for a `fetch` that ignores its signal.
 *
 * @throws {@link TimedOutError}, {@link CancelledError}, and what the requests throw.
 */
export function within<Result>(
  limits: WaitLimits,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return abortInTime(limits, (signal) => unlessAborted(signal, () => run(signal)))
}

/** Like {@link within}, but waits for the requests to end: their responses must not be lost. */
export async function abortInTime<Result>(
  { clock, signal, timeout = TIMEOUT }: WaitLimits,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  const cancel = () => controller.abort(new CancelledError(signal?.reason))
  // Second by second: a process that was stopped loses one second, and finds the response that arrived meanwhile.
  let left = timeout
  const tick = () => {
    left -= 1
    if (left === 0) controller.abort(new TimedOutError())
    else timer = clock.setTimeout(tick, 1000)
  }
  let timer = clock.setTimeout(tick, 1000)
  signal?.addEventListener('abort', cancel, { once: true })
  if (signal?.aborted) cancel()
  try {
    return await run(controller.signal)
  } catch (error) {
    const { aborted, reason } = controller.signal
    throw aborted && reason instanceof AuthgraphError ? reason : error
  } finally {
    clock.clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
  }
}

/**
 * Settles like the work. If the signal is aborted first, rejects with its reason; the work itself is not stopped.
 */
export async function unlessAborted<Result>(
  signal: AbortSignal | null | undefined,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  if (!signal) return work()
  signal.throwIfAborted()
  let cancel = () => {}
  const aborted = new Promise<never>((_, reject) => {
    cancel = () => reject(signal.reason)
  })
  signal.addEventListener('abort', cancel)
  try {
    return await Promise.race([work(), aborted])
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/** Resolves after a delay in milliseconds. Rejects with the reason of the signal if it is aborted before. */
export async function pause(clock: Clock, delay: number, signal?: AbortSignal | null): Promise<void> {
  let timer: unknown
  const over = () =>
    new Promise<void>((resolve) => {
      timer = clock.setTimeout(resolve, delay)
    })
  await unlessAborted(signal, over).finally(() => clock.clearTimeout(timer))
}
