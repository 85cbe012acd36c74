import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.js'
import { startDatabase } from './start-database.js'

/** Whether Redis is installed. Tests that need it are skipped otherwise. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0

if (!hasRedis)
  process.stderr.write(
    'There is no redis-server on this machine: the tests of the store in Redis are SKIPPED.\n',
  )

/** Starts an empty server, which forgets everything when it is killed unless its mode is `kept`. */
export async function startRedis(mode = 'forgotten') {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'authgraph-redis-'))
  const appendOnly = mode === 'kept' ? 'yes' : 'no'
  const options = {
    port: String(port),
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: appendOnly,
    appendfsync: 'always',
    // Otherwise nodes would talk at the port plus 10,000, where a connection of another test may be.
    ...(mode === 'cluster' && { 'cluster-enabled': 'yes', 'cluster-port': String(await freePort()) }),
  }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
  const server = await startDatabase({ program: 'redis-server', args, folder, power: 'SIGKILL' })
  return { ...server, port, url: `redis://127.0.0.1:${port}` }
}
