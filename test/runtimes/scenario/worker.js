import { runChecks } from './scenario.js'

export default {
  async test() {
    // biome-ignore lint/suspicious/noConsole: a worker has no other way to print.
    console.log(JSON.stringify(await runChecks()))
  },
}
