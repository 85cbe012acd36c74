import { execFileSync } from 'node:child_process'
import { median, print, shuffled, table } from './statistics.js'

/** Rounds, in each of which every contender has a process of its own, in turn. */
const ROUNDS = Number(process.argv[2] ?? 7)

const CONTENDERS = ['a hand-written object without a lock', 'authgraph', '@octokit/auth-oauth-user']

const SESSIONS = 10_000
const OF_ALL = ['a bare XState actor', 'authgraph, all over one record', ...CONTENDERS]
const opened = measure('open', OF_ALL, SESSIONS)
print(`\n${SESSIONS} logins in one process, opened one after the other, ${ROUNDS} rounds\n`)
print(
  table(
    ['', 'KB of heap a login', 'µs of CPU to open it'],
    OF_ALL.map((name) => [
      name,
      (middle(opened[name], 0) / 1024).toFixed(2),
      middle(opened[name], 1).toFixed(0),
    ]),
  ),
)

const CALLS = 200_000
const valid = measure('token', CONTENDERS, CALLS)
print(`\nA token that is valid, ${CALLS} calls one after the other, ${ROUNDS} rounds\n`)
print(
  table(
    ['', 'µs of CPU a call'],
    CONTENDERS.map((name) => [name, middle(valid[name], 0).toFixed(2)]),
  ),
)

const BURST = 50
const burst = measure('burst', CONTENDERS, BURST)
print(`\n${BURST} calls at once with an expired token, of a provider whose refresh tokens work once\n`)
print(
  table(
    ['', 'refresh requests', 'calls that got a token'],
    CONTENDERS.map((name) => [name, `${middle(burst[name], 0)}`, `${middle(burst[name], 1)}`]),
  ),
)

function middle(rounds, index) {
  return median(rounds.map((figures) => figures[index]))
}

/** @returns {Record<string, number[][]>} The figures of each round. */
function measure(kind, names, size) {
  const figures = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of shuffled(names)) {
      const script = new URL('one-kind-of-session.js', import.meta.url).pathname
      const args = ['--expose-gc', script, kind, name, String(size)]
      figures[name].push(JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })))
    }
  }
  return figures
}
