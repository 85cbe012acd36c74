import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService } from '../../dist/src/service/index.js'
import { median, printFigures, ratio, takeTurns } from './statistics.js'

/** Rounds, in each of which every contender starts once. */
const ROUNDS = Number(process.argv[2] ?? 30)

const folder = mkdtempSync(join(tmpdir(), 'ag-bench-'))
const service = createService({ clients: [{ clientId: 'id', name: 'Bench' }] })
const { url, close } = await service.listen()
const command = new URL('../../dist/src/cli/main.cjs', import.meta.url).pathname
const login = [command, 'login', '--host', url, '--client-id', 'id']

const PEER = '@octokit/auth-oauth-device in a script'
const CONTENDERS = {
  'bare Node': ['-e', 'console.log("AAAA-AAAA")'],
  'authgraph --version': [command, '--version'],
  'authgraph login --store none': [...login, '--store', 'none', '--print'],
  'authgraph login --store file': [...login, '--store', 'file'],
  [PEER]: [new URL('octokit-login.js', import.meta.url).pathname, url],
}

/** Milliseconds from the start of a process up to the code, or the version, on its output. */
function time(args) {
  const start = performance.now()
  const child = spawn(process.execPath, args, { env: { ...process.env, AUTHGRAPH_CONFIG_DIR: folder } })
  return new Promise((resolve) => {
    const look = (chunk) => {
      if (!/[A-Z]{4}-[A-Z]{4}|^\d+\.\d+\.\d+$/m.test(String(chunk))) return
      resolve(performance.now() - start)
      child.kill('SIGKILL')
    }
    child.stdout.on('data', look)
    child.stderr.on('data', look)
  })
}

const times = await takeTurns(CONTENDERS, ROUNDS, time)
printFigures(
  `A fresh process, from its start up to the code on its output, ${ROUNDS} rounds`,
  ['ms', 'above bare Node', `of ${PEER}`],
  times,
  (values) => [
    median(values).toFixed(1),
    median(values.map((value, round) => value - times['bare Node'][round])).toFixed(1),
    ratio(values, times[PEER]),
  ],
)
await close()
rmSync(folder, { recursive: true })
