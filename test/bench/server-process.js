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
  /** CPU time and memory of the server's process; for the memory after a garbage collection. */
  const ask = (what) => {
    child.send(what)
    return received()
  }
  return {
    name,
    ...address,
    ask,
    /** Runs a load. Adds its responses a second, and the server's CPU time of one in microseconds. */
    async spent(run) {
      const before = (await ask('cpu')).cpu
      const done = await run()
      const { cpu } = await ask('cpu')
      const used = cpu.user + cpu.system - before.user - before.system
      return { ...done, rate: done.responses / done.seconds, cpu: used / done.responses }
    },
    stop: () => child.kill(),
  }
}
