import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { freePort } from './free-port.js'
import { startDatabase } from './start-database.js'

/** Debian keeps the programs of a server in a folder of their version. */
const VERSIONS = '/usr/lib/postgresql'
const folders = [
  ...(process.env.PATH ?? '').split(delimiter),
  ...(existsSync(VERSIONS) ? readdirSync(VERSIONS).map((version) => join(VERSIONS, version, 'bin')) : []),
]
const programs = folders.find((folder) =>
  ['postgres', 'initdb'].every((name) => existsSync(join(folder, name))),
)

/** PostgreSQL refuses to run as root. */
const isRoot = process.getuid?.() === 0
const account = isRoot ? idsOf('postgres') : undefined

/** Whether PostgreSQL is installed. Tests that need it are skipped otherwise. */
export const hasPostgres = programs !== undefined && (!isRoot || account !== undefined)

if (!hasPostgres)
  process.stderr.write('There is no PostgreSQL on this machine: the tests of the store in it are SKIPPED.\n')

/** Creates an empty database, and starts a server. `fsync: 'on'` makes it durable, and slower. */
export async function startPostgres({ fsync = 'off' } = {}) {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'authgraph-postgres-'))
  if (account) chownSync(folder, account.uid, account.gid)
  run('initdb', '--pgdata', folder, '--username', 'authgraph', '--auth', 'trust', '--no-sync')
  const options = [`port=${port}`, `fsync=${fsync}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=']
  const args = ['-D', folder, ...options.flatMap((option) => ['-c', option])]
  const program = join(programs ?? '', 'postgres')
  const server = await startDatabase({ program, args, folder, power: 'SIGQUIT', ...account })
  return { ...server, port, url: `postgres://authgraph@127.0.0.1:${port}/postgres` }
}

function run(program, ...args) {
  execFileSync(join(programs ?? '', program), args, { ...account, cwd: tmpdir(), stdio: 'ignore' })
}

function idsOf(user) {
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, user], { encoding: 'utf8' }).stdout)
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined
}
