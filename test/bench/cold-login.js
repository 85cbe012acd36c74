import { execFileSync } from 'node:child_process'
import { median, print, shuffled, table } from './statistics.js'

/** Rounds, in each of which every contender starts once. */
const ROUNDS = Number(process.argv[2] ?? 30)

const PEER = '@octokit/auth-oauth-device'
const CONTENDERS = [
  'bare Node',
  'authgraph, the import alone',
  `${PEER}, the import alone`,
  'authgraph',
  PEER,
]

const times = Object.fromEntries(CONTENDERS.map((name) => [name, []]))
for (let round = 0; round < ROUNDS; round++) {
  for (const name of shuffled(CONTENDERS)) {
    const args = [new URL('first-codes.js', import.meta.url).pathname, name]
    times[name].push(Number(execFileSync(process.execPath, args, { encoding: 'utf8' })))
  }
}

print(`\nA fresh process, from its start up to the shown codes, ${ROUNDS} rounds\n`)
print(
  table(
    ['', 'ms', `of ${PEER}`],
    CONTENDERS.map((name) => [
      name,
      median(times[name]).toFixed(1),
      median(times[name].map((value, round) => value / times[PEER][round])).toFixed(2),
    ]),
  ),
)
