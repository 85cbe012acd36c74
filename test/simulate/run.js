import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { ADAPTATIONS, BUGS } from './bugs.js'

/** Without a bug, only whether each of them can be put in. */
const UNCHANGED = Object.values(BUGS).map(({ change }) => ({ ...change, instead: change.text }))

const { bug } = parseArgs({ strict: false, options: { bug: { type: 'string' } } }).values
if (bug === undefined || Object.hasOwn(BUGS, bug)) {
  const { main } = await import(await bundle())
  process.exitCode = await main()
} else {
  process.stderr.write(
    `--bug must be one of ${Object.keys(BUGS).join(', ')}\nSee: npm run simulate -- --help\n`,
  )
  process.exitCode = 2
}

/** Bundles the simulator with the sources of both sides. Returns the file. */
async function bundle() {
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
    plugins: [changing([...ADAPTATIONS, ...(bug === undefined ? UNCHANGED : [BUGS[bug].change])])],
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
