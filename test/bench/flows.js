import { inProcess, median, printFigures, ratio, takeTurns } from './statistics.js'

/** Flows that run at the same time. */
const SIZES = [1000, 10_000]

/** Rounds, in each of which every contender has a process of its own, in turn. */
const ROUNDS = Number(process.argv[2] ?? 7)

const PEER = '@octokit/auth-oauth-device'

const CONTENDERS = ['a hand-written loop', 'authgraph', PEER, 'openid-client']

for (const size of SIZES) {
  const figures = await measure('cpu', CONTENDERS, size)
  printFigures(
    `CPU of ${size} flows at once, ${ROUNDS} rounds: codes, two polls that are pending, and the token`,
    ['µs a flow', `of ${PEER}`],
    figures,
    (values) => [`${Math.round(median(values))}`, ratio(values, figures[PEER])],
  )
}

for (const size of SIZES)
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
