import { vi } from 'vitest'

/** Waits until an assertion holds, however busy the machine is: the timeout of the test is the limit. */
export function eventually<Result>(assertion: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(assertion, { interval: 1, timeout: 240_000 })
}
