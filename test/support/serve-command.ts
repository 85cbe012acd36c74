import { spawn } from 'node:child_process'
import { resolve } from 'node:path'

const command = resolve(import.meta.dirname, '../../dist/src/cli/main.cjs')

/** What `authgraph serve` logs in a line. */
export interface Logged {
  readonly event: string
  readonly [field: string]: unknown
}

/** Runs `authgraph serve` as built, on a free port. */
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

  /** The first line that tells of this event; rejects where the command ends without one. */
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
    /** Where it listens. */
    url: async () => (await event('listening')).url as string,
    printed: () => stdout + stderr,
    stderr: () => stderr,
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    /** The exit code, when it has ended. */
    ended,
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
