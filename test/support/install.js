import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'

/**
 * Installs the packages of a folder that has a lock file of its own, unless that has not changed since the last
 * installation.
 */
export function install(folder) {
  const changedAt = (file) => statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
  // npm writes this file when it has finished.
  if (changedAt('node_modules/.package-lock.json') > changedAt('package-lock.json')) return
  // Vite sets NODE_ENV, for which npm would leave out the development dependencies.
  const options = ['--include=dev', '--no-audit', '--no-fund']
  execFileSync('npm', ['ci', ...options], { cwd: folder, stdio: 'inherit' })
}

if (process.argv[1] === import.meta.filename)
  for (const folder of process.argv.slice(2)) install(resolve(folder))
