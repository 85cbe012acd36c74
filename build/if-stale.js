import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

const SOURCES = [
  'machines',
  'src',
  'build',
  'docs/live',
  'docs/tools',
  'package-lock.json',
  'package.json',
  'tsconfig.json',
]

/** The file that a build writes last. */
const LAST_BUILT = join(root, 'dist/src/cli/watch.html')

/** Builds the package unless the last build is newer than every source file. */
export function buildIfStale() {
  if (existsSync(LAST_BUILT) && SOURCES.every((source) => newest(join(root, source)) <= changed(LAST_BUILT)))
    return
  execFileSync('npm', ['run', 'build'], { cwd: root, stdio: 'inherit' })
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
