import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { onTestFinished } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
/** The path of the program, once it is built. */
export const program = join(root, '.cache/session-program.mjs')
let built: Promise<unknown> | undefined

/** Builds the program that tests run in processes of its own. */
export function buildProgram(): Promise<unknown> {
  built ??= bundleProgram(join(import.meta.dirname, 'program.ts'), program)
  return built
}

/** Bundles a program for Node. */
export function bundleProgram(source: string, outfile: string): Promise<unknown> {
  return build({
    entryPoints: [source],
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['xstate', 'valibot', 'redis', 'pg', 'libsql', '@napi-rs/keyring'],
    outfile,
  })
}

/** Starts the program. It is killed at the end of the test. */
export function startProgram(...args: string[]) {
  return start([process.execPath, program, ...args])
}

/** How the programs of a test are started. */
export interface Started {
  /** How many times as fast its time passes. */
  readonly rate: number
  /** Whether it has process ids of its own, as in a container. Only root can do that. */
  readonly isContained?: boolean
  readonly env?: NodeJS.ProcessEnv
}

/** Starts the program in another way. */
export function startProgramAs({ rate, isContained, env }: Started, ...args: string[]) {
  const command = [process.execPath, program, ...args]
  // A shell, since signals of its own do not reach the first process of a namespace.
  const unshare = 'unshare --pid --fork --mount-proc --kill-child sh -c'.split(' ')
  const contained = [...unshare, '"$@"; exit', 'sh']
  return start(isContained ? [...contained, ...command] : command, { ...env, RATE: String(rate) })
}

/** Starts a command, which is killed at the end of the test. */
export function start([command = '', ...args]: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'close').then(() => text)
  return { child, ended, text: () => text }
}
