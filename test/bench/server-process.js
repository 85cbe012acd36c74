import { spawn, spawnSync } from 'node:child_process'

// The load and the server each have a core of their own, where there are two and the machine can say so.
const canPin = spawnSync('taskset', ['-cp', '1', String(process.pid)]).status === 0

/** Starts one of the servers of `servers.js` in its own process. */
export async function start(name) {
  const script = new URL('servers.js', import.meta.url).pathname
  const command = [process.execPath, '--expose-gc', script, name]
  const [program, ...args] = canPin ? ['taskset', '-c', '0', ...command] : command
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const received = () => new Promise((resolve) => child.once('message', resolve))
  const address = await received()
  return {
    name,
    ...address,
    /** CPU time and memory of the server's process; for the memory after a garbage collection. */
    ask: (what) => {
      child.send(what)
      return received()
    },
    stop: () => child.kill(),
  }
}
