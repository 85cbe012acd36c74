import { spawn } from 'node:child_process'
import { resolve } from 'node:path'

const command = resolve(import.meta.dirname, '../../dist/src/cli/main.cjs')

/** A line of the log of `authgraph serve`. */
export interface Logged {
  readonly event: string
  readonly [field: string]: unknown
}

/** Runs the built `authgraph serve` on a free port. */
export function serveCommand(...words: string[]) {
  const child = spawn(process.execPath, [command, 'serve', '--port', '0', ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  const waiting = new Set<() => void>()
  const receive = () => {
    for (const look of waiting) look()
  }
  child.stdout.on('data', (chunk) => {
    stdout += chunk
    receive()
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const ended = new Promise<number | null>((done) =>
    child.once('close', (code) => {
      done(code)
      receive()
    }),
  )
  const logged = () =>
    stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Logged)

  /** Resolves to the first line of this event. Rejects if the command exits without one. */
  const event = (name: string) =>
    new Promise<Logged>((found, missing) => {
      const look = () => {
        const line = logged().find((line) => line.event === name)
        if (line === undefined && child.exitCode === null && child.signalCode === null) return
        waiting.delete(look)
        if (line) found(line)
        else missing(new Error(`authgraph serve ended without "${name}": ${stderr}`))
      }
      waiting.add(look)
      look()
    })

  return {
    logged,
    event,
    /** The address it listens on. */
    url: async () => (await event('listening')).url as string,
    printed: () => stdout + stderr,
    stderr: () => stderr,
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    /** Resolves to the exit code. */
    ended,
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
