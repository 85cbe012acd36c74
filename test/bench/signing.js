import { contenders, limit } from './contenders.js'
import { median, print, shuffled, table } from './statistics.js'

/** Rounds, in each of which every contender has its turn. */
const ROUNDS = Number(process.argv[2] ?? 60)

/** Tokens of one turn. */
const TOKENS = 64

const modes = {
  'one at a time': async (sign) => {
    for (let n = 0; n < TOKENS; n++) await sign()
  },
  [`${TOKENS} at once`]: (sign) => Promise.all(Array.from({ length: TOKENS }, () => sign())),
}

for (const [mode, run] of Object.entries(modes)) {
  const times = await measure(run)
  const rows = Object.entries(times).map(([name, values]) => [
    name,
    `${Math.round(median(values))}`,
    `${Math.round(1e6 / median(values))}`,
    // Of the same round, so that what else the machine does falls on both.
    median(values.map((value, round) => times[limit][round] / value)).toFixed(2),
  ])
  print(`\nSigning ${mode}, ${ROUNDS} rounds\n`)
  print(table(['', 'µs a token', 'tokens a second', 'of the limit'], rows))
}

/** @returns {Promise<Record<string, number[]>>} Microseconds a token, one figure for each round. */
async function measure(run) {
  const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]))
  for (let round = -3; round < ROUNDS; round++) {
    for (const [name, { sign }] of shuffled(Object.entries(contenders))) {
      const start = performance.now()
      await run(sign)
      // The rounds below zero are for the compiler.
      if (round >= 0) times[name].push(((performance.now() - start) * 1000) / TOKENS)
    }
  }
  return times
}
