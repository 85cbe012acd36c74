import { monitorEventLoopDelay } from 'node:perf_hooks'
import { contenders } from './contenders.js'
import { median, print, shuffled, table } from './statistics.js'

/** Rounds, in each of which every contender has its turn. */
const ROUNDS = Number(process.argv[2] ?? 20)

/** Tokens of one turn, all asked for at once. */
const TOKENS = 64

/** Milliseconds between two looks of the monitor. */
const RESOLUTION = 1

const longest = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]))
for (let round = -1; round < ROUNDS; round++) {
  for (const [name, { sign }] of shuffled(Object.entries(contenders))) {
    const delay = await longestDelay(() => Promise.all(Array.from({ length: TOKENS }, () => sign())))
    if (round >= 0) longest[name].push(delay)
  }
}

print(`\nLongest time the event loop stood still while ${TOKENS} tokens were signed, ${ROUNDS} rounds\n`)
print(
  table(
    ['', 'ms'],
    Object.entries(longest).map(([name, values]) => [name, median(values).toFixed(1)]),
  ),
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
