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

if (process.argv.includes('--help')) process.stdout.write(USAGE)
else {
  const at = process.argv.indexOf('--bug')
  const [, bug] = at < 0 ? [] : process.argv.splice(at, 2)
  await import(await bundle(bug)).catch(refuse)
}

function refuse(error) {
  if (!error.code?.startsWith('ERR_PARSE_ARGS')) throw error
  process.stderr.write(`${error.message}\nSee: npm run simulate -- --help\n`)
  process.exitCode = 2
}
