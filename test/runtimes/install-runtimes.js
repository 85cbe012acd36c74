import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'

const here = import.meta.dirname

/** Installs the runtimes of the lock file, unless it has not changed since the last installation. */
export function installRuntimes() {
  const changedAt = (file) => statSync(join(here, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
  // npm writes this file when it has finished.
  if (changedAt('node_modules/.package-lock.json') > changedAt('package-lock.json')) return
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: here, stdio: 'inherit' })
}
