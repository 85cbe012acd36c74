import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'

/** Starts a database server, which keeps its files in a folder. The signal `power` ends it as a power failure does. */
export async function startDatabase({ program, args, folder, power, ...account }) {
  let server
  const database = {
    async start() {
      server = spawn(program, args, { ...account, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
      await ready(server)
    },
    async kill() {
      if (server.exitCode !== null || server.signalCode !== null) return
      const ended = new Promise((resolve) => server.once('exit', resolve))
      server.kill(power)
      await ended
    },
    async stop() {
      await database.kill()
      rmSync(folder, { recursive: true, force: true })
    },
    freeze: () => server.kill('SIGSTOP'),
    thaw: () => server.kill('SIGCONT'),
  }
  await database.start()
  return database
}

function ready(server) {
  return new Promise((resolve, reject) => {
    let log = ''
    for (const stream of [server.stdout, server.stderr])
      stream.on('data', (chunk) => {
        log += chunk
        if (/ready to accept connections/i.test(log)) resolve()
      })
    server.once('close', () => reject(new Error(`${server.spawnfile} ended: ${log}`)))
  })
}
