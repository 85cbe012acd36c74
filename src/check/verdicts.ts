import { REQUIREMENTS, type RequirementId } from './requirements.ts'
import { type CheckedResponse, printable, type ShownExchange } from './wire.ts'

/** The result of one requirement. */
export interface CheckResult {
  /** The id of the requirement. Its meaning never changes. */
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

/** Collects the results of a check, one per requirement. */
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

    /** Records that a requirement failed, or passed if `problem` is `undefined`. `seen` is the detail of a pass. */
    judge: judgeAs('failed'),

    /** Like `judge`, for a recommendation that no specification requires. */
    advise: judgeAs('advised'),

    /** Records why requirements do not apply. Keeps results that exist already. */
    skip(ids: readonly RequirementId[], why: string): void {
      for (const id of ids)
        if (!results.has(id)) add(id, { outcome: 'not applicable', detail: printable(why) })
    },

    /** Records, without calling `onResult`, that the check did not reach these requirements. */
    leave(ids: readonly RequirementId[]): void {
      const detail = 'the check did not reach it'
      for (const id of ids) if (!results.has(id)) keep(id, { outcome: 'not applicable', detail })
    },
  }
}
