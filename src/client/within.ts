import { AuthgraphError, CancelledError, TimedOutError } from '../errors.ts'
import type { Clock } from './options.ts'

/** Timeout in seconds of a request outside of a flow. */
const REQUEST_TIMEOUT = 30

/**
 * Runs requests outside of a machine: aborts them on timeout, or when the caller's signal is aborted.
 *
 * @throws {@link TimedOutError}, {@link CancelledError}, and what the requests throw.
 */
export async function within<Result>(
  { clock, signal }: { readonly clock: Clock; readonly signal?: AbortSignal | undefined },
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  const cancel = () => controller.abort(new CancelledError(signal?.reason))
  // Second by second: a process that was stopped loses one second, and finds the response that arrived meanwhile.
  let left = REQUEST_TIMEOUT
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
