import * as v from 'valibot'
import { BadAnswerError } from '../errors.ts'

/** Makes an error that names the fields at fault and quotes nothing: valibot's own messages hold what was received. */
export function badFields(answer: string, issues: readonly v.BaseIssue<unknown>[]): BadAnswerError {
  const fields = new Set(issues.map((issue) => v.getDotPath(issue)).filter((path) => path !== null))
  if (fields.size === 0) return new BadAnswerError(`the ${answer} is not a JSON object`)
  const names = [...fields].map((field) => `"${field}"`).join(', ')
  return new BadAnswerError(`the ${answer} has no usable ${names}`)
}
