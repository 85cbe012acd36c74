/**
 * Resolves or rejects as the work does, unless the signal is aborted before: then it rejects with its reason, and the
 * work goes on without it.
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
