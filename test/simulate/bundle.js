import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { build } from 'esbuild'
import { BUGS } from './bugs.js'

/** The simulator calls the service below `fetch`: web requests and responses would take most of the time. */
const BELOW_FETCH = {
  file: 'src/service/http/fetch.ts',
  text: 'return async (input, { address, ...init } = {}) => {',
  instead: 'return handle as never\n  return async (input, { address, ...init } = {}) => {',
}

/** A world is short: a count that never goes down must be noticed in it. */
const FEW_WAITING = {
  file: 'src/service/stores/redis.ts',
  text: 'const UNANSWERED = 2000',
  instead: 'const UNANSWERED = 200',
}

/** Nothing here opens a socket, and the storage of a request in all that it awaits makes each promise slower. */
const NO_SOCKETS = {
  file: 'src/request/guard-headers.ts',
  text: "globalThis.process?.getBuiltinModule?.('node:async_hooks')",
  instead: 'undefined as typeof import("node:async_hooks") | undefined',
}

/** XState notes the time at which it sets a timer, and never looks at it. Any other look at the real time is a finding. */
const REAL_TIME = { file: 'xstate/dist/raise-', text: 'startedAt: Date.now()', instead: 'startedAt: 0' }

/**
 * Bundles the simulator with the sources of both sides.
 *
 * @param {string | undefined} bug The name of a bug to put in.
 * @returns {Promise<string>} The file.
 */
export async function bundle(bug) {
  const outfile = resolve(import.meta.dirname, `../../.cache/simulate/${bug ?? 'main'}.js`)
  const { outputFiles } = await build({
    entryPoints: [resolve(import.meta.dirname, 'main.ts')],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['redis'],
    logLevel: 'warning',
    outfile,
    write: false,
    plugins: [
      changing([
        BELOW_FETCH,
        FEW_WAITING,
        NO_SOCKETS,
        REAL_TIME,
        ...(bug === undefined ? [] : [BUGS[bug].change]),
      ]),
    ],
  })
  await mkdir(dirname(outfile), { recursive: true })
  // Whole at once: another simulation may be reading it.
  await writeFile(`${outfile}.${process.pid}`, outputFiles[0].contents)
  await rename(`${outfile}.${process.pid}`, outfile)
  return outfile
}

/** Replaces texts in source files. A text that is not there any more is an error, never a bug that is not put in. */
function changing(changes) {
  return {
    name: 'changing',
    setup({ onLoad, onEnd }) {
      const missing = new Set(changes)
      onLoad({ filter: /\.(ts|js)$/ }, async ({ path }) => {
        const here = changes.filter(({ file }) => path.includes(file))
        if (here.length === 0) return undefined
        let contents = await readFile(path, 'utf8')
        for (const change of here) {
          if (contents.split(change.text).length !== 2) continue
          contents = contents.replace(change.text, () => change.instead)
          missing.delete(change)
        }
        return { contents, loader: path.endsWith('ts') ? 'ts' : 'js' }
      })
      onEnd(() => {
        for (const { file, text } of missing) throw new Error(`${file} does not hold once: ${text}`)
      })
    },
  }
}
