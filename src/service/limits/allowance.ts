import type { Limits } from './limits.ts'

/** Whether an action is allowed now; if not, seconds until it is. */
export type Allowance = Allowed | LimitRefusal

export interface Allowed {
  readonly ok: true
}

export interface LimitRefusal {
  readonly ok: false
  readonly limit: keyof Limits
  /** Whole seconds, at least one. */
  readonly retryAfter: number
  /** Whether it is the first refusal of its time window. Only this one is an event, so that a flood of requests does not cause a flood of events. */
  readonly isFirst: boolean
}

export const ALLOWED: Allowed = { ok: true }

/**
 * Refuses until a point in time.
 *
 * @param until Epoch milliseconds, like `now`.
 */
export function refuseUntil(limit: keyof Limits, until: number, now: number, isFirst: boolean): LimitRefusal {
  return { ok: false, limit, retryAfter: Math.max(1, Math.ceil((until - now) / 1000)), isFirst }
}
