import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.js'

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
    'cluster-enabled': mode === 'cluster' ? 'yes' : 'no',
  }
  let server

  const redis = {
    port,
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
      server = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] })
      await ready(server)
    },
    async kill() {
      if (server.exitCode !== null || server.signalCode !== null) return
      const ended = new Promise((resolve) => server.once('exit', resolve))
      server.kill('SIGKILL')
      await ended
    },
    async stop() {
      await redis.kill()
      rmSync(folder, { recursive: true, force: true })
    },
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
  }
  await redis.start()
  return redis
}

function ready({ stdout }) {
  return new Promise((resolve, reject) => {
    let log = ''
    stdout.on('data', (chunk) => {
      log += chunk
      if (log.includes('Ready to accept connections')) resolve()
    })
    stdout.once('close', () => reject(new Error(`redis-server ended: ${log}`)))
  })
}
