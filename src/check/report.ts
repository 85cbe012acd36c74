import { REQUIREMENTS, type RequirementId } from './requirements.ts'
import type { ShownExchange } from './wire.ts'

/** The result of one requirement. */
export interface CheckResult {
  /** The ID of the requirement. Its meaning never changes. */
  readonly id: RequirementId
  /** The requirement as a sentence. */
  readonly requirement: string
  /** Where it is specified, such as `RFC 8628, 3.2`. */
  readonly source: string
  /**
   * `advised`: the service does not follow a recommendation, which no specification requires. `not checked`: the requirement
   * applies, but nobody approved or denied, the second client gets no codes, or the check did not reach it.
   */
  readonly outcome: 'passed' | 'failed' | 'advised' | 'not applicable' | 'not checked'
  /** What is wrong, what would be better, why the requirement does not apply or was not checked, or what was seen. */
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
  /** How many do not apply. */
  readonly notApplicable: number
  /** How many apply but were not checked. */
  readonly notChecked: number
  /** The dialect of the service, as given or detected; `undefined` if it could not be detected. */
  readonly dialect: 'github' | 'rfc8628' | undefined
  /** How many requests were sent: at most 100. */
  readonly requests: number
}

/** Adds the requirements that a check did not reach to those that it found, and counts the outcomes. */
export function tally(found: Iterable<CheckResult>): Omit<CheckReport, 'dialect' | 'requests'> {
  const reached = [...found]
  const ids = new Set<string>(reached.map(({ id }) => id))
  const results = [...reached, ...UNREACHED.filter(({ id }) => !ids.has(id))]
  const count = (outcome: CheckResult['outcome']) =>
    results.filter((result) => result.outcome === outcome).length
  return {
    results,
    passed: count('passed'),
    failed: count('failed'),
    advised: count('advised'),
    notApplicable: count('not applicable'),
    notChecked: count('not checked'),
  }
}

const UNREACHED = Object.entries(REQUIREMENTS).map(
  ([id, [requirement, source]]): CheckResult => ({
    id: id as RequirementId,
    requirement,
    source,
    outcome: 'not checked',
    detail: 'the check did not reach it',
  }),
)
