import { execFileSync } from 'node:child_process'
import { median, print, shuffled, table } from './statistics.js'

/** Flows that run at the same time. */
const SIZES = [1000, 10_000]

/** Rounds, in each of which every contender has a process of its own, in turn. */
const ROUNDS = Number(process.argv[2] ?? 7)

const CONTENDERS = ['a hand-written loop', 'authgraph', '@octokit/auth-oauth-device', 'openid-client']

const PEER = '@octokit/auth-oauth-device'

for (const size of SIZES) {
  const figures = measure('cpu', CONTENDERS, size)
  print(
    `\nCPU of ${size} flows at once, ${ROUNDS} rounds: codes, two polls that are pending, and the token\n`,
  )
  print(
    table(
      ['', 'µs a flow', `of ${PEER}`],
      CONTENDERS.map((name) => [
        name,
        `${Math.round(median(figures[name]))}`,
        median(figures[name].map((value, round) => value / figures[PEER][round])).toFixed(2),
      ]),
    ),
  )
}

const waiting = ['a bare XState actor with one `after`', ...CONTENDERS]
for (const size of SIZES) {
  const figures = measure('heap', waiting, size)
  print(`\nHeap of ${size} flows that wait for their first or second poll, ${ROUNDS} rounds\n`)
  print(
    table(
      ['', 'KB a flow'],
      waiting.map((name) => [name, (median(figures[name]) / 1024).toFixed(1)]),
    ),
  )
}

/** @returns {Record<string, number[]>} One figure for each round. */
function measure(kind, names, size) {
  const figures = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of shuffled(names)) {
      const args = [
        '--expose-gc',
        new URL('one-kind-of-flow.js', import.meta.url).pathname,
        kind,
        name,
        String(size),
      ]
      figures[name].push(Number(execFileSync(process.execPath, args, { encoding: 'utf8' })))
    }
  }
  return figures
}
