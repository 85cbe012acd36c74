/**
 * Waits for a promise, at most the given milliseconds.
 *
 * @param late Returns the error to throw after that. A later result of the promise is ignored.
 */
export async function withDeadline<Value>(
  milliseconds: number,
  promise: Value | PromiseLike<Value>,
  late: () => Error,
): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), milliseconds)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}
