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
  built ??= build({
    entryPoints: [join(import.meta.dirname, 'program.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['xstate', 'valibot', 'redis', 'pg', 'libsql', '@napi-rs/keyring'],
    outfile: program,
  })
  return built
}

/** Starts the program. It is killed at the end of the test. */
export function startProgram(...args: string[]) {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'close').then(() => text)
  return { child, ended, text: () => text }
}
