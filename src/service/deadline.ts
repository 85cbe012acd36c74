/**
 * Waits for a promise, but no longer than so many milliseconds.
 *
 * @param late Makes the error of a promise that took longer. What becomes of it then is nobody's concern.
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
