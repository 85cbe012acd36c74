import { parseArgs } from 'node:util'
import { BUGS } from './bugs.js'
import { bundle } from './bundle.js'

const { bug } = parseArgs({ strict: false, options: { bug: { type: 'string' } } }).values
if (bug === undefined || Object.hasOwn(BUGS, bug)) {
  const { main } = await import(await bundle(bug))
  process.exitCode = await main()
} else {
  process.stderr.write(
    `--bug must be one of ${Object.keys(BUGS).join(', ')}\nSee: npm run simulate -- --help\n`,
  )
  process.exitCode = 2
}
