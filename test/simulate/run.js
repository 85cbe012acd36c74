import { parseArgs } from 'node:util'
import { BUGS } from './bugs.js'
import { bundle } from './bundle.js'

const USAGE = `Usage: npm run simulate -- [options]

Simulate logins under faults, and judge each of them.

  --logins <number>     simulate this many (default: 1000)
  --seed <number>       choose the faults (default: 1)
  --profile <name>      use one profile (default: all)
  --trace <seed:login>  print what both sides of one login saw; needs --profile
  --bug <name>          put in one of the bugs that the simulator must find
  --until-caught        stop at the first violation
  --json                print the result as JSON
  --help                show this help
`

try {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      logins: { type: 'string', default: '1000' },
      profile: { type: 'string', default: 'all' },
      trace: { type: 'string' },
      bug: { type: 'string' },
      json: { type: 'boolean', default: false },
      'until-caught': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) process.stdout.write(USAGE)
  else process.exitCode = await run(values)
} catch (error) {
  if (
    !(error instanceof TypeError && error.code?.startsWith('ERR_PARSE_ARGS')) &&
    !(error instanceof RangeError)
  )
    throw error
  process.stderr.write(`${error.message}\nSee: npm run simulate -- --help\n`)
  process.exitCode = 2
}

async function run({ bug, ...values }) {
  if (bug !== undefined && !Object.hasOwn(BUGS, bug))
    throw new RangeError(`--bug must be one of ${Object.keys(BUGS).join(', ')}`)
  const { main } = await import(await bundle(bug))
  return main(values)
}
