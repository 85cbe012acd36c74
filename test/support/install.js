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
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' })
}

if (process.argv[1] === import.meta.filename)
  for (const folder of process.argv.slice(2)) install(resolve(folder))
