import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { filesThatRan } from './crossed-files.js'

// Prints the files that run for `authgraph token` when the token has expired.
const folder = mkdtempSync(join(tmpdir(), 'authgraph-token-'))
const coverage = join(folder, 'coverage')
const token = {
  access_token: 'token',
  token_type: 'bearer',
  scope: '',
  refresh_token: 'refresh',
  expires_in: 1,
}
const codes = {
  device_code: 'device',
  user_code: 'WDJB-MJHT',
  verification_uri: 'https://example.com/device',
  expires_in: 900,
  interval: 1,
}
const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(request.url === '/login/device/code' ? codes : token))
})
await new Promise((done) => server.listen(0, '127.0.0.1', done))
try {
  const host = `http://127.0.0.1:${server.address().port}`
  await authgraph({}, 'login', '--host', host, '--client-id', 'id', '--store', 'file')
  await authgraph({ NODE_V8_COVERAGE: coverage }, 'token')
  const reports = readdirSync(coverage).map((name) => JSON.parse(readFileSync(join(coverage, name), 'utf8')))
  process.stdout.write(JSON.stringify(filesThatRan(reports.flatMap(({ result }) => result))))
} finally {
  server.close()
  rmSync(folder, { recursive: true })
}

async function authgraph(variables, ...words) {
  const main = resolve(import.meta.dirname, '../../../src/cli/main.ts')
  const child = spawn(process.execPath, [...process.execArgv, main, ...words], {
    env: { PATH: process.env.PATH, HOME: folder, AUTHGRAPH_CONFIG_DIR: folder, ...variables },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  const code = await new Promise((done) => child.once('close', done))
  if (code !== 0) throw new Error(`authgraph ${words.join(' ')} ended with ${code}: ${said}`)
}
