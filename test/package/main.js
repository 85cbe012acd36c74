import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { install } from '../support/install.js'
import { startRedis } from '../support/redis-server.js'

/**
 * node test/package/main.js [project]
 *
 * Checks the published package: the contents of the tarball, its installation in empty projects with the lowest and
 * highest versions of its peers, and its entries with the tests of their sources, unless one project is named. In the
 * projects each entry is used as a module, from CommonJS, and with full type checking. They are checked at the same time,
 * because installing waits for the network.
 */
const PROJECTS = [
  {
    name: 'lowest',
    packages: [
      ...['xstate@5.20.0', 'vitest@3.0.0', 'redis@5.0.0', 'pg@8.0.3', 'libsql@0.5.22'],
      ...['react@18', 'react-dom@18', '@types/react@18'],
      ...['typescript@5.8', '@types/node@20', '@types/pg@8'],
    ],
    // XState changed the type parameters of its machines in 5.33, so declarations are not checked with an older version.
    steps: ['login.js', 'login.cjs', 'react.js', 'redis.js', 'sqlite.js', 'types', 'vitest'],
    typescript: [['--skipLibCheck', 'true']],
  },
  {
    name: 'highest',
    packages: [
      ...['xstate@5', 'vitest@4', 'redis@6', 'pg@8', 'libsql@0.5'],
      ...['react@19', 'react-dom@19', '@types/react@19'],
      ...['typescript@6.0', '@types/node@24', '@types/pg@8'],
    ],
    steps: ['login.js', 'login.cjs', 'react.js', 'redis.js', 'sqlite.js', 'types', 'vitest'],
    typescript: [[], ['--project', 'tsconfig.require.json']],
  },
  {
    name: 'strict',
    packages: [
      'xstate@5',
      'vitest@4',
      'redis@6',
      'pg@8',
      'libsql@0.5',
      'typescript@7',
      'react@19',
      '@types/react@19',
      '@types/node@24',
      '@types/pg@8',
    ],
    steps: ['types'],
    typescript: [[], ['--exactOptionalPropertyTypes', '--skipLibCheck']],
  },
  // Older peers in a project must not prevent the installation for users who do not use them with this package.
  {
    name: 'older',
    packages: ['xstate@5.20.0', 'vitest@2', 'redis@4'],
    steps: ['login.js', 'login.cjs'],
  },
  { name: 'none', packages: ['xstate@5'], steps: ['login.js', 'login.cjs'] },
]

install(import.meta.dirname)
const [only] = process.argv.slice(2)
const root = resolve(import.meta.dirname, '../..')
const home = mkdtempSync(join(tmpdir(), 'authgraph-peers-'))
const redis = await startRedis()
let failed = 0
try {
  await run('npm', ['pack', '--silent', '--pack-destination', home], root)
  const tarball = join(home, readdirSync(home).find((name) => name.endsWith('.tgz')) ?? '')
  await attempt('tarball', 'publint', () => run(checker('publint'), ['--strict', tarball], root))
  await attempt('tarball', 'types', () => run(checker('attw'), ['--profile', 'esm-only', tarball], root))
  const config = join(import.meta.dirname, 'vitest.config.ts')
  if (only === undefined)
    await attempt('entries', 'tests', () =>
      run(command('vitest'), ['run', '--silent', '--config', config], root),
    )
  const projects = PROJECTS.filter(({ name }) => only === undefined || only === name)
  await Promise.all(projects.map((project) => checkProject(project, tarball)))
} finally {
  await redis.stop()
  rmSync(home, { recursive: true })
}
process.exitCode = failed === 0 ? 0 : 1

async function checkProject({ name, packages, steps, typescript = [] }, tarball) {
  const folder = join(home, name)
  cpSync(join(import.meta.dirname, 'project'), folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  const checks = {
    install: async () => {
      const printed = await run('npm', ['install', '--no-audit', '--no-fund', tarball, ...packages], folder)
      if (/warn.*authgraph|ERESOLVE/i.test(printed)) throw new Error(printed)
    },
    types: async () => {
      for (const options of typescript) await run(command('tsc'), options, folder)
    },
    vitest: () => run(command('vitest'), ['run', '--testTimeout=300000'], folder),
  }
  for (const step of ['install', ...steps])
    await attempt(name, step, checks[step] ?? (() => run(process.execPath, [step], folder)))
}

async function attempt(subject, name, check) {
  try {
    await check()
    process.stdout.write(`${subject.padEnd(10)} ${name.padEnd(10)} passed\n`)
  } catch (error) {
    failed += 1
    process.stdout.write(
      `${subject.padEnd(10)} ${name.padEnd(10)} FAILED\n${error.message}\n${error.stdout ?? ''}`,
    )
  }
}

/** The installed command of a package: `npx` would consume some of its options. */
function command(name) {
  return join('node_modules', '.bin', name)
}

function checker(name) {
  return join(import.meta.dirname, command(name))
}

/** Returns all output of a command, including warnings. */
async function run(command, args, cwd) {
  const env = { ...process.env, REDIS_URL: redis.url, CI: 'true' }
  const options = { cwd, env, maxBuffer: Number.POSITIVE_INFINITY }
  const { stdout } = await promisify(execFile)(
    'sh',
    ['-c', 'exec "$@" 2>&1', 'sh', command, ...args],
    options,
  )
  return stdout
}
