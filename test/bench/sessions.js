import { inProcess, median, printFigures, takeTurns } from './statistics.js'

/** Rounds, in each of which every contender has a process of its own, in turn. */
const ROUNDS = Number(process.argv[2] ?? 7)

const CONTENDERS = ['a hand-written object without a lock', 'authgraph', '@octokit/auth-oauth-user']

const SESSIONS = 10_000
const CALLS = 200_000
const BURST = 50

const middle = (rounds, index = 0) => median(rounds.map((figures) => figures[index]))

printFigures(
  `${SESSIONS} logins in one process, opened one after the other, ${ROUNDS} rounds`,
  ['KB of heap a login', 'µs of CPU to open it'],
  await measure('open', ['a bare XState actor', 'authgraph, all over one record', ...CONTENDERS], SESSIONS),
  (rounds) => [(middle(rounds) / 1024).toFixed(2), middle(rounds, 1).toFixed(0)],
)

printFigures(
  `A token that is valid, ${CALLS} calls one after the other, ${ROUNDS} rounds`,
  ['µs of CPU a call'],
  await measure('token', CONTENDERS, CALLS),
  (rounds) => [middle(rounds).toFixed(2)],
)

printFigures(
  `${BURST} calls at once with an expired token, of a provider whose refresh tokens work once`,
  ['refresh requests', 'calls that got a token'],
  await measure('burst', CONTENDERS, BURST),
  (rounds) => [`${middle(rounds)}`, `${middle(rounds, 1)}`],
)

/** The figures of each round. */
function measure(kind, names, size) {
  const contenders = Object.fromEntries(names.map((name) => [name, [kind, name, String(size)]]))
  return takeTurns(contenders, ROUNDS, (args) => inProcess('one-kind-of-session.js', args))
}
