import { bundle } from './bundle.js'

/** `npm run simulate -- --bug NAME` puts one of the bugs in that the simulator must find. */
const at = process.argv.indexOf('--bug')
const [, bug] = at < 0 ? [] : process.argv.splice(at, 2)
await import(await bundle(bug))
