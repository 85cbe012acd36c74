import { generateKeyPairSync } from 'node:crypto'
import { inProcess, median, printFigures, quantile, ratio, takeTurns } from './statistics.js'

/** Rounds, in each of which every contender has a process of its own. */
const ROUNDS = Number(process.argv[2] ?? 60)

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

const PKCS1 = privateKey.export({ type: 'pkcs1', format: 'pem' })
const PKCS8 = privateKey.export({ type: 'pkcs8', format: 'pem' })

const JWTS = {
  'raw `crypto.subtle` (the limit), PKCS#8 key': ['raw', PKCS8],
  'authgraph/app-jwt, PKCS#1 key': ['authgraph', PKCS1],
  'authgraph/app-jwt, PKCS#8 key': ['authgraph', PKCS8],
  'universal-github-app-jwt, PKCS#1 key': ['universal', PKCS1],
  'universal-github-app-jwt, PKCS#8 key': ['universal', PKCS8],
}

const INSTALLATIONS = {
  '`authgraph/auth`': ['installation', PKCS8],
  '@octokit/auth-app': ['authApp', PKCS8],
  '`authgraph/auth` and `authgraph/octokit`, with @octokit/core': ['octokit', PKCS8],
  '@octokit/auth-app, with @octokit/core': ['octokitAuthApp', PKCS8],
}

await compareTokens('Import and first app JWT', JWTS)
await compareTokens('Import and first installation token, from an API that responds at once', INSTALLATIONS)
await compareLogins()

async function compareTokens(title, contenders) {
  const turn = ([kind, key]) => {
    const start = performance.now()
    const inside = inProcess('first-token.js', [kind], { KEY: key })
    return { inside, whole: performance.now() - start }
  }
  printFigures(
    `${title}, in a fresh process, ${ROUNDS} rounds, ms`,
    ['import + first token', 'quarter to three quarters', 'whole process'],
    await takeTurns(contenders, ROUNDS, turn, 2),
    (figures) => {
      const inside = figures.map((figure) => figure.inside)
      return [
        median(inside).toFixed(1),
        `${quantile(inside, 0.25).toFixed(1)} to ${quantile(inside, 0.75).toFixed(1)}`,
        median(figures.map(({ whole }) => whole)).toFixed(1),
      ]
    },
  )
}

async function compareLogins() {
  const peer = '@octokit/auth-oauth-device'
  const names = ['bare Node', 'authgraph, the import alone', `${peer}, the import alone`, 'authgraph', peer]
  const contenders = Object.fromEntries(names.map((name) => [name, name]))
  const times = await takeTurns(contenders, ROUNDS, (name) => inProcess('first-codes.js', [name]), 1)
  const aboveNode = (values) => values.map((value, round) => value - times['bare Node'][round])
  printFigures(
    `CPU of a fresh process, from its start up to the shown codes, ${ROUNDS} rounds`,
    ['ms', `of ${peer}`, 'above bare Node', `of ${peer}`],
    times,
    (values) => {
      const above = aboveNode(values)
      const ofPeer = [ratio(values, times[peer]), ratio(above, aboveNode(times[peer]))]
      return [median(values).toFixed(1), ofPeer[0], median(above).toFixed(1), ofPeer[1]]
    },
  )
}
