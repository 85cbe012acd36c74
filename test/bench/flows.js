import { inProcess, median, printFigures, quantile, ratio, takeTurns } from './statistics.js'

/** Flows that run at the same time: few are mostly code that V8 has not optimized yet. */
const BATCHES = [50, 200, 10_000]

/** Flows that wait at the same time. */
const WAITING = [1000, 10_000]

/** Rounds, in each of which every contender has a process of its own, in turn. */
const ROUNDS = Number(process.argv[2] ?? 7)

const PEER = '@octokit/auth-oauth-device'

const CONTENDERS = ['a hand-written loop', 'authgraph', PEER, 'openid-client']

for (const size of BATCHES) {
  const figures = await measure('cpu', CONTENDERS, size)
  printFigures(
    `CPU of ${size} flows at once, ${ROUNDS} rounds: codes, two polls that are pending, and the token`,
    ['µs a flow', `of ${PEER}`, 'quarter to three quarters'],
    figures,
    (values) => {
      const ratios = values.map((value, round) => value / figures[PEER][round])
      const [low, high] = [0.25, 0.75].map((share) => quantile(ratios, share).toFixed(2))
      return [`${Math.round(median(values))}`, ratio(values, figures[PEER]), `${low} to ${high}`]
    },
  )
}

for (const size of WAITING)
  printFigures(
    `Heap of ${size} flows that wait for their first or second poll, ${ROUNDS} rounds`,
    ['KB a flow'],
    await measure('heap', ['a bare XState actor with one `after`', ...CONTENDERS], size),
    (values) => [(median(values) / 1024).toFixed(1)],
  )

function measure(kind, names, size) {
  const contenders = Object.fromEntries(names.map((name) => [name, [kind, name, String(size)]]))
  return takeTurns(contenders, ROUNDS, (args) => inProcess('one-kind-of-flow.js', args))
}
