import { REQUIREMENTS, type RequirementId } from './requirements.ts'
import { type CheckedResponse, printable, type ShownExchange } from './wire.ts'

/**
 * What the check found of one requirement.
 *
 * @group Service check
 */
export interface CheckResult {
  /** Names the requirement, and never changes its meaning. */
  readonly id: RequirementId
  /** The requirement as a sentence. */
  readonly requirement: string
  /** Where it stands: a part of the specification, sections of RFCs. */
  readonly source: string
  /** `advised` is what no specification demands of the service: it fails nothing, and another way would be better. */
  readonly outcome: 'passed' | 'failed' | 'advised' | 'not applicable'
  /** What was wrong or would be better, why it does not apply, or what was seen. */
  readonly detail?: string
  /** Of what failed, or is advised. */
  readonly exchange?: ShownExchange
}

/** Collects the results of one check, each requirement once. */
export function createVerdicts(
  show: (response: CheckedResponse) => ShownExchange,
  onResult: (result: CheckResult) => void = () => undefined,
) {
  const results = new Map<RequirementId, CheckResult>()

  function keep(id: RequirementId, found: Pick<CheckResult, 'outcome' | 'detail' | 'exchange'>): CheckResult {
    const { text, source } = REQUIREMENTS[id]
    const result = { id, requirement: text, source, ...found }
    results.set(id, result)
    return result
  }

  function add(...found: Parameters<typeof keep>): void {
    onResult(keep(...found))
  }

  const judgeAs =
    (outcome: 'failed' | 'advised') =>
    (
      id: RequirementId,
      response: CheckedResponse | undefined,
      problem: string | undefined,
      seen?: string,
    ): void => {
      if (problem === undefined) add(id, { outcome: 'passed', ...(seen && { detail: seen }) })
      else add(id, { outcome, detail: printable(problem), ...(response && { exchange: show(response) }) })
    }

  return {
    results,

    /** Says what is wrong with an answer; nothing is, where there is no problem. `seen` is worth telling all the same. */
    judge: judgeAs('failed'),

    /** Says what would be better, of a requirement that no specification makes. */
    advise: judgeAs('advised'),

    /** Says why requirements do not apply. Those that were judged already stay as they are. */
    skip(ids: readonly RequirementId[], why: string): void {
      for (const id of ids)
        if (!results.has(id)) add(id, { outcome: 'not applicable', detail: printable(why) })
    },

    /** Keeps, without a word, that the check did not come to these, where they are not judged. */
    leave(ids: readonly RequirementId[]): void {
      const detail = 'the check did not come to it'
      for (const id of ids) if (!results.has(id)) keep(id, { outcome: 'not applicable', detail })
    },
  }
}
