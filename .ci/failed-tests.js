// Prints the tests that failed, with the beginning of each message, from the JSON report of a run.
import { readFileSync } from 'node:fs'

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const failures = testResults.flatMap(({ name, message, assertionResults }) => [
  ...(message ? [`${name}: ${message.slice(0, 500)}`] : []),
  ...assertionResults
    .filter(({ status }) => status === 'failed')
    .map(
      ({ fullName, failureMessages }) => `${name}: ${fullName}\n${failureMessages.join('\n').slice(0, 1000)}`,
    ),
])
process.stdout.write(`${failures.join('\n')}\n`)
