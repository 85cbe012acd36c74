import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { median, print, quantile, shuffled, table } from './statistics.js'

/** Rounds, in each of which every contender has a process of its own. */
const ROUNDS = Number(process.argv[2] ?? 60)

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

const pkcs1 = privateKey.export({ type: 'pkcs1', format: 'pem' })
const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem' })

const jwts = [
  { name: 'raw `crypto.subtle` (the limit), PKCS#8 key', contender: 'raw', key: pkcs8 },
  { name: 'authgraph/app-jwt, PKCS#1 key', contender: 'authgraph', key: pkcs1 },
  { name: 'authgraph/app-jwt, PKCS#8 key', contender: 'authgraph', key: pkcs8 },
  { name: 'universal-github-app-jwt, PKCS#1 key', contender: 'universal', key: pkcs1 },
  { name: 'universal-github-app-jwt, PKCS#8 key', contender: 'universal', key: pkcs8 },
].map(unmeasured)

const installations = [
  { name: '`authgraph/auth`', contender: 'installation', key: pkcs8 },
  { name: '@octokit/auth-app', contender: 'authApp', key: pkcs8 },
  { name: '`authgraph/auth` and `authgraph/octokit`, with @octokit/core', contender: 'octokit', key: pkcs8 },
  { name: '@octokit/auth-app, with @octokit/core', contender: 'octokitAuthApp', key: pkcs8 },
].map(unmeasured)

for (let round = -2; round < ROUNDS; round++) {
  for (const { contender, key, inside, whole } of shuffled([...jwts, ...installations])) {
    const start = performance.now()
    const output = execFileSync(process.execPath, ['first-token.js', contender], {
      cwd: import.meta.dirname,
      env: { ...process.env, KEY: key },
      encoding: 'utf8',
    })
    if (round < 0) continue
    whole.push(performance.now() - start)
    inside.push(Number(output))
  }
}

report('Import and first app JWT', jwts)
report('Import and first installation token, from an API that responds at once', installations)

function report(title, starts) {
  print(`\n${title}, in a fresh process, ${ROUNDS} rounds, ms\n`)
  print(
    table(
      ['', 'import + first token', 'quarter to three quarters', 'whole process'],
      starts.map(({ name, inside, whole }) => [
        name,
        median(inside).toFixed(1),
        `${quantile(inside, 0.25).toFixed(1)} to ${quantile(inside, 0.75).toFixed(1)}`,
        median(whole).toFixed(1),
      ]),
    ),
  )
}

function unmeasured(start) {
  return { ...start, inside: [], whole: [] }
}
