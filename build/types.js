import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ENTRIES } from './entries.js'

/** Where the compiler keeps the declarations of all files, and what it needs to compile only those that have changed. */
const ALL = '.cache/declarations'

/** Builds the types of the entries, and of what they name. */
export async function buildTypes() {
  const compiler = ['node_modules/typescript/bin/tsc', '--emitDeclarationOnly', '--incremental']
  const files = ['--outDir', ALL, '--tsBuildInfoFile', `${ALL}/.tsbuildinfo`]
  await promisify(execFile)(process.execPath, [...compiler, ...files])
  const named = new Set()
  const follow = (file) => {
    if (named.has(file)) return
    named.add(file)
    for (const [, imported] of readFileSync(join(ALL, file), 'utf8').matchAll(
      /(?:from |import\()['"](\.[^'"]+)\.[jt]s['"]/g,
    ))
      follow(join(dirname(file), `${imported}.d.ts`))
  }
  for (const { source } of ENTRIES) follow(source.replace(/ts$/, 'd.ts'))
  for (const file of readdirSync('dist', { recursive: true }))
    if (file.endsWith('.d.ts') && !named.has(file)) rmSync(join('dist', file))
  for (const file of named) {
    mkdirSync(join('dist', dirname(file)), { recursive: true })
    copyFileSync(join(ALL, file), join('dist', file))
  }
}
