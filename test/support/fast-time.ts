import { afterEach, beforeEach, vi } from 'vitest'
import { fastClock } from './fast-clock.ts'

/** How much faster time runs. */
const RATE = 10

/**
 * Makes the waits of clients shorter whose clock is no argument, for every test of the file.
 *
 * @returns The clock of a service that lives in the same time.
 */
export function fastTime(): { now(): number } {
  const { setTimeout } = globalThis
  beforeEach(() => {
    vi.stubGlobal('setTimeout', (callback: () => void, delay = 0) => setTimeout(callback, delay / RATE))
  })
  afterEach(() => {
    vi.unstubAllGlobals()
  })
  return fastClock(RATE)
}
