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
