import { join, resolve } from 'node:path'
import { run, withSavedLogin } from './saved-login.js'
import { median, printFigures, quantile, takeTurns } from './statistics.js'

/** Rounds, in each of which every contender runs once; and the command, such as that of another version. */
const ROUNDS = Number(process.argv[2] ?? 30)
const command = resolve(process.argv[3] ?? join(import.meta.dirname, '../../dist/src/cli/main.cjs'))

const BARE = 'node -e 0'
const reporter = join(import.meta.dirname, 'report-usage.cjs')

await withSavedLogin([command], 28_800, async ({ host, env }) => {
  const contenders = {
    [BARE]: { args: ['-e', '0'] },
    'authgraph token': { args: [command, 'token'] },
    'authgraph git-credential get': {
      args: [command, 'git-credential', 'get'],
      input: `protocol=http\nhost=${host}\n`,
    },
    'authgraph status': { args: [command, 'status'] },
  }
  const measure = async ({ args, input }) =>
    JSON.parse(await run(['--require', reporter, ...args], { env, input }))
  const figures = await takeTurns(contenders, ROUNDS, measure, 1)
  printFigures(
    `A saved login with a valid token, Node ${process.version}, ${ROUNDS} rounds`,
    ['ms of CPU', 'above bare Node', 'quartiles', 'MB'],
    figures,
    (values) => {
      const above = values.map(({ cpu }, round) => cpu - figures[BARE][round].cpu)
      return [
        median(values.map(({ cpu }) => cpu)).toFixed(1),
        median(above).toFixed(1),
        [0.25, 0.75].map((share) => quantile(above, share).toFixed(1)).join(' to '),
        median(values.map(({ memory }) => memory)).toFixed(1),
      ]
    },
  )
})
