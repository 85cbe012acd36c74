import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Ports that no system gives to outgoing connections. Such a connection could take a port that was free, even one to the
 * port itself.
 */
const [LOWEST, HIGHEST] = [20_000, 32_000]

/**
 * Finds a port of 127.0.0.1 that nobody listens on.
 *
 * @returns {Promise<number>}
 */
export function freePort() {
  const port = randomInt(LOWEST, HIGHEST)
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(freePort()))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)))
  })
}
