import type { RequirementId } from './requirements.ts'
import type { ShownExchange } from './wire.ts'

/** The result of one requirement. */
export interface CheckResult {
  /** The ID of the requirement. Its meaning never changes. */
  readonly id: RequirementId
  /** The requirement as a sentence. */
  readonly requirement: string
  /** Where it is specified, such as `RFC 8628, 3.2`. */
  readonly source: string
  /** `advised`: the service does not follow a recommendation, which no specification requires. */
  readonly outcome: 'passed' | 'failed' | 'advised' | 'not applicable'
  /** What is wrong, what would be better, why the requirement does not apply, or what was seen. */
  readonly detail?: string
  /** The request and response that `failed` or are `advised`. */
  readonly exchange?: ShownExchange
}

/** The report of {@link checkService}. */
export interface CheckReport {
  /** The result of every requirement, in the order of the checks. */
  readonly results: readonly CheckResult[]
  /** How many requirements the service meets. */
  readonly passed: number
  /** How many it violates. */
  readonly failed: number
  /** How many recommendations it does not follow. No specification requires them. */
  readonly advised: number
  /** How many do not apply or were not reached. */
  readonly notApplicable: number
  /** The dialect of the service, as given or detected; `undefined` if it could not be detected. */
  readonly dialect: 'github' | 'rfc8628' | undefined
  /** How many requests were sent: at most 100. */
  readonly requests: number
}
