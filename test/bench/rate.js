/**
 * Runs an operation again and again, so many at the same time, until the time is over or one says `false`.
 *
 * @param {(index: number) => Promise<unknown>} operation Receives which of those in flight it is.
 * @param {{ inFlight: number, seconds: number }} options
 * @returns Operations a second, and CPU microseconds of this process for each.
 */
export async function rateOf(operation, { inFlight, seconds }) {
  let done = 0
  const cpu = process.cpuUsage()
  const begin = performance.now()
  const end = begin + seconds * 1000
  await Promise.all(
    Array.from({ length: inFlight }, async (_, index) => {
      while (performance.now() < end && (await operation(index)) !== false) done += 1
    }),
  )
  const { user, system } = process.cpuUsage(cpu)
  return { rate: (done / (performance.now() - begin)) * 1000, cpu: (user + system) / done }
}
