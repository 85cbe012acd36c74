import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { build } from 'esbuild'
import { startRedis } from '../support/redis-server.js'
import { print, printTable } from './statistics.js'

/**
 * node test/bench/budgets.js
 *
 * Counts what readers and users of this package carry: lines, files, Redis commands and what an installation weighs.
 * Builds the package first. Ends with an exit code if a budget is exceeded.
 */
const root = resolve(import.meta.dirname, '../..')
const home = mkdtempSync(join(tmpdir(), 'authgraph-budgets-'))
const rows = []

try {
  execFileSync('npm', ['run', 'build'], { cwd: root })
  const code = /\.(ts|tsx|js|css|html)$/
  const source = linesOf('src', code) + linesOf('machines', code)
  const tests = linesOf('test', code)
  const docs = linesOf('docs', /\.(ts|js|css)$/)
  row('`src` and `machines`, lines', source, 24_000)
  row('tests, lines', tests, 36_000)
  row('code of the documentation, lines', docs, 11_000)
  row('all of these, lines', source + tests + docs, 76_000)

  const login = await imported("export { authorizeDevice } from './src/index.ts'")
  row('files that a login imports', login.files, 40)
  row('their lines', login.lines, 3800)
  row('files that a pending poll runs', run('poll'), 14)
  row('files that `authgraph token` runs, token expired', run('token'), 30)
  const { issued, withFamily } = await redisCommands()
  row('Redis commands of a poll that issues a token', issued, 8)
  row('Redis commands, with a refresh token', withFamily, 10)

  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', home], { cwd: root }),
  )
  row('tarball, unpacked MB', megabytes(packed.unpackedSize), 3)
  row('files in the tarball', packed.entryCount)
  const installed = install(join(home, packed.filename))
  row('packages installed, without the optional keyring', installed.packages, 3)
  row('their MB', megabytes(installed.bytes), 6.5)
} finally {
  rmSync(home, { recursive: true, force: true })
}
printTable('Budgets', ['what', 'now', 'at most'], rows)

function row(what, now, atMost) {
  if (now > atMost) process.exitCode = 1
  rows.push([what, now.toLocaleString('en'), atMost?.toLocaleString('en') ?? ''])
}

function linesOf(folder, names) {
  const files = execFileSync('git', ['ls-files', folder], { cwd: root, encoding: 'utf8' }).trim().split('\n')
  return files.filter((file) => names.test(file)).reduce((sum, file) => sum + linesIn(file), 0)
}

function linesIn(file) {
  return readFileSync(join(root, file), 'utf8').split('\n').length - 1
}

/** The files of this package that a module imports. */
async function imported(contents) {
  const { metafile } = await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    absWorkingDir: root,
    bundle: true,
    metafile: true,
    write: false,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
  const files = Object.keys(metafile.inputs).filter((file) => /^(src|machines)\//.test(file))
  return { files: files.length, lines: files.reduce((sum, file) => sum + linesIn(file), 0) }
}

/** How many files of this package run functions in a scenario. */
function run(scenario) {
  const script = join(import.meta.dirname, 'budgets', `${scenario}.js`)
  const loader = join(import.meta.dirname, 'budgets/run-sources.js')
  const output = execFileSync('node', ['--import', loader, script], { cwd: home, encoding: 'utf8' })
  const files = JSON.parse(output).map((file) => relative(root, file))
  if (process.argv.includes('--files')) print(`${scenario}\n  ${files.join('\n  ')}\n`)
  return files.length
}

/** Commands that a Redis receives for one poll, without and with a refresh token. */
async function redisCommands() {
  const redis = await startRedis()
  try {
    const loader = join(import.meta.dirname, 'budgets/run-sources.js')
    const script = join(import.meta.dirname, 'budgets/redis-commands.js')
    return JSON.parse(execFileSync('node', ['--import', loader, script, redis.url], { encoding: 'utf8' }))
  } finally {
    await redis.stop()
  }
}

function install(tarball) {
  const project = mkdtempSync(join(home, 'project-'))
  execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', '--omit=optional', tarball], {
    cwd: project,
  })
  const modules = join(project, 'node_modules')
  const names = readdirSync(modules).filter((name) => !name.startsWith('.'))
  return { packages: names.length, bytes: bytesOf(modules) }
}

function bytesOf(path) {
  const entry = statSync(path)
  return entry.isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0)
    : entry.size
}

function megabytes(bytes) {
  return Math.round(bytes / 1e5) / 10
}
