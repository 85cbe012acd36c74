import { createDeviceAuthorization } from '../../dist/src/index.js'
import { createService } from '../../dist/src/service/index.js'
import { median, print, table } from './statistics.js'

/** Flows of one row. */
const FLOWS = 60

const INTERVAL = 5

/** How much faster than the world's the time of this process is. */
const RATE = 5

const begin = Date.now()
const now = () => begin + (Date.now() - begin) * RATE

const rows = []
for (const speed of [1, 1.02, 1.2]) rows.push(await run(speed))
print(`\nPoliteness: ${FLOWS} flows against a service without leeway, interval ${INTERVAL} s\n`)
print(
  table(
    ['clock of the device', 'tokens', '`slow_down`s', 'median delay after the earliest allowed poll'],
    rows,
  ),
)

async function run(speed) {
  const service = createService({
    clients: [{ clientId: 'id', name: 'App' }],
    interval: INTERVAL,
    leeway: 0,
    clock: { now },
  })
  const delays = []
  let slowDowns = 0
  const results = await Promise.all(Array.from({ length: FLOWS }, (_, index) => flow(index)))
  const tokens = results.filter((status) => status === 'authorized').length
  const delay = `${((median(delays) / (INTERVAL * 1000)) * 100).toFixed(1)} % of the interval`
  return [`${Math.round((speed - 1) * 100)} % fast`, `${tokens} of ${FLOWS}`, String(slowDowns), delay]

  function flow(index) {
    let last
    const origin = now()
    const actor = createDeviceAuthorization({
      clientId: 'id',
      clock: {
        now: () => origin + (now() - origin) * speed,
        setTimeout: (callback, delay) => setTimeout(callback, delay / RATE / speed),
        clearTimeout: (timer) => clearTimeout(timer),
      },
      fetch: async (address, init) => {
        const sent = now()
        if (last !== undefined) delays.push(sent - last - INTERVAL * 1000)
        const response = await service.fetch(address, init)
        const body = await response.clone().json()
        if (body.error === 'slow_down') slowDowns++
        last = body.error === 'authorization_pending' ? sent : undefined
        return response
      },
      onCodes: ({ userCode }) =>
        setTimeout(() => service.approve(userCode, 'octocat'), ((20 + index * 0.5) * 1000) / RATE),
    })
    return new Promise((resolve) => {
      actor.subscribe({ complete: () => resolve(actor.getSnapshot().output.status) })
      actor.start()
    })
  }
}
