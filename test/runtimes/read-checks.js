import { PLANTED, PRINTED } from './scenario/planted.js'

/**
 * Parses the output of a runtime: the last line contains the results, and no line may contain a secret.
 *
 * @returns The name of each check, and its problem if it failed.
 */
export function readChecks(printed) {
  const lines = printed.split('\n')
  const checks = JSON.parse(lines.pop() ?? '')
  const output = lines.join('\n')
  return [...checks, { name: 'what is printed shows no secret', problem: problemOf(output) }]
}

function problemOf(output) {
  if (!output.includes(PRINTED)) return 'nothing was printed'
  return output.includes(PLANTED) ? output : undefined
}
