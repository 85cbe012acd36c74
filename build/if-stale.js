import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

const SOURCES = ['machines', 'src', 'docs/live', 'docs/tools']
const SETTINGS = ['build', 'package-lock.json', 'package.json', 'tsconfig.json']

/** The last file of the code, and the last of a whole build. */
const PAGE = 'dist/src/cli/watch.html'
const BILL = 'dist/sbom.cdx.json'

/** Builds what runs, unless it is newer than every source file; all that is published, if the settings have changed. */
export function buildIfStale() {
  if (isStale(BILL, SETTINGS)) build('await import("./build/main.js")')
  else if (isStale(PAGE, SOURCES)) build('await (await import("./build/code.js")).buildCode()')
}

function isStale(built, sources) {
  const file = join(root, built)
  return !existsSync(file) || sources.some((source) => newest(join(root, source)) > changed(file))
}

function build(program) {
  execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: root, stdio: 'inherit' })
}

function newest(path) {
  if (!statSync(path).isDirectory()) return changed(path)
  const files = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/[\\/]dist([\\/]|$)/.test(entry.parentPath))
    .map(({ parentPath, name }) => changed(join(parentPath, name)))
  return Math.max(...files)
}

function changed(file) {
  return statSync(file).mtimeMs
}

if (process.argv[1] === import.meta.filename) buildIfStale()
