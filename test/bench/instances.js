import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../support/free-port.js'
import { listen } from './listen.js'

/**
 * Starts instances of a service, and a balancer that hands each connection to one of them that lives.
 *
 * @param {number} count
 * @param {string} store The store that they share.
 * @param {number} interval Seconds between polls.
 */
export async function startInstances(count, store, interval) {
  const relay = createServer()
  const url = `http://127.0.0.1:${await listen(relay)}`
  const one = () => instances[Math.floor(Math.random() * instances.length)]
  const instances = await Promise.all(
    Array.from({ length: count }, () => startInstance(url, store, interval)),
  )
  let turn = 0

  relay.on('connection', (socket) => {
    const alive = instances.filter((instance) => instance.alive)
    const { port } = alive[turn++ % alive.length] ?? instances[0]
    const onward = connect(port, '127.0.0.1')
    // Where one end breaks, the other one does.
    socket.once('error', () => onward.destroy()).once('close', () => onward.destroy())
    onward.once('error', () => socket.destroy()).once('close', () => socket.destroy())
    socket.pipe(onward).pipe(socket)
  })

  return {
    url,
    /** Kills one instance without a warning, and starts another one in its place. */
    async replaceOne() {
      const instance = one()
      await instance.kill()
      await instance.start()
    },
    /** Stops one instance for so many seconds. The balancer does not notice. */
    stopOne: (seconds) => one().pause(seconds),
    /** The largest resident set of an instance, MB. */
    async largest() {
      const sizes = await Promise.all(
        instances.filter(({ alive }) => alive).map((instance) => instance.size()),
      )
      return Math.max(...sizes)
    },
    stop: () => {
      relay.close()
      for (const instance of instances) instance.stop()
    },
  }
}

async function startInstance(url, store, interval) {
  const port = await freePort()
  const script = new URL('instance.js', import.meta.url).pathname
  let child
  const instance = {
    port,
    alive: false,
    async start() {
      child = spawn(process.execPath, [script, url, String(port), store, String(interval)], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      })
      await once(child, 'message')
      instance.alive = true
    },
    async kill() {
      instance.alive = false
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
    async pause(seconds) {
      child.kill('SIGSTOP')
      await setTimeout(seconds * 1000)
      child.kill('SIGCONT')
    },
    async size() {
      // From the system: the process may be killed while it is asked.
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
    },
    stop: () => child.kill(),
  }
  await instance.start()
  return instance
}
