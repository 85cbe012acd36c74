import { monitorEventLoopDelay } from 'node:perf_hooks'
import { contenders, limit } from './contenders.js'
import { median, printFigures, ratio, takeTurns } from './statistics.js'

/** Rounds, in each of which every contender has its turn. */
const ROUNDS = Number(process.argv[2] ?? 60)

/** Tokens of one turn. */
const TOKENS = 64

/** Milliseconds between two looks of the monitor of the event loop. */
const RESOLUTION = 1

const allAtOnce = ({ sign }) => Promise.all(Array.from({ length: TOKENS }, () => sign()))

const modes = {
  'one at a time': async ({ sign }) => {
    for (let n = 0; n < TOKENS; n++) await sign()
  },
  [`${TOKENS} at once`]: allAtOnce,
}

for (const [mode, run] of Object.entries(modes)) {
  const microseconds = async (contender) => {
    const start = performance.now()
    await run(contender)
    return ((performance.now() - start) * 1000) / TOKENS
  }
  const times = await takeTurns(contenders, ROUNDS, microseconds, 3)
  printFigures(
    `Signing ${mode}, ${ROUNDS} rounds`,
    ['µs a token', 'tokens a second', 'of the limit'],
    times,
    (values) => [
      `${Math.round(median(values))}`,
      `${Math.round(1e6 / median(values))}`,
      ratio(times[limit], values),
    ],
  )
}

printFigures(
  `Longest time the event loop stood still while ${TOKENS} tokens were signed, ${ROUNDS} rounds`,
  ['ms'],
  await takeTurns(contenders, ROUNDS, (contender) => longestDelay(() => allAtOnce(contender)), 1),
  (values) => [median(values).toFixed(1)],
)

/** @returns {Promise<number>} Milliseconds. */
async function longestDelay(run) {
  const monitor = monitorEventLoopDelay({ resolution: RESOLUTION })
  monitor.enable()
  await turns(3)
  monitor.reset()
  // The monitor counts from its first look after that.
  await turns(3)
  await run()
  await turns(3)
  monitor.disable()
  return Math.max(0, monitor.max / 1e6 - RESOLUTION)
}

/** Lets the monitor look a few times. */
async function turns(count) {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setTimeout(resolve, 2 * RESOLUTION))
}
