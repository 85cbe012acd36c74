import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/free-port.js'

/** Starts a Redis of our own, which keeps nothing on disk. */
export async function startRedis() {
  const port = await freePort()
  const dir = mkdtempSync(join(tmpdir(), 'authgraph-reliability-'))
  const options = { port, bind: '127.0.0.1', dir, save: '', appendonly: 'no' }
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (chunk) => String(chunk).includes('Ready to accept') && resolve())
    child.once('error', reject)
  })
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: () => {
      child.kill('SIGKILL')
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
