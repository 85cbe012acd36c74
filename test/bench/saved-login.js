import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listen } from './listen.js'

const token = { access_token: 'token', token_type: 'bearer', scope: '', refresh_token: 'refresh' }
const codes = {
  device_code: 'device',
  user_code: 'WDJB-MJHT',
  verification_uri: 'https://example.com/device',
  expires_in: 900,
  interval: 1,
}

/**
 * Logs in to a server of its own that issues tokens of `lifetime` seconds, then uses the login, which is in a folder that
 * is removed afterwards.
 *
 * @param {readonly string[]} command What runs `authgraph`.
 */
export async function withSavedLogin(command, lifetime, use) {
  const folder = mkdtempSync(join(tmpdir(), 'authgraph-login-'))
  const responses = { '/login/device/code': codes, '/user': { login: 'octo' } }
  const server = createServer(({ url }, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(responses[url] ?? { ...token, expires_in: lifetime }))
  })
  const env = { PATH: process.env.PATH, HOME: folder, AUTHGRAPH_CONFIG_DIR: folder }
  const host = `127.0.0.1:${await listen(server)}`
  try {
    await run([...command, 'login', '--host', `http://${host}`, '--client-id', 'id', '--store', 'file'], {
      env,
    })
    return await use({ folder, host, env })
  } finally {
    server.close()
    rmSync(folder, { recursive: true })
  }
}

/** Runs Node to its end. Resolves to what it wrote to the descriptor 3. */
export async function run(args, { env, input = '' }) {
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'ignore', 'pipe', 'pipe'] })
  const [, , errors, report] = child.stdio.map((stream) => stream && collect(stream))
  // A command that reads no input may have ended.
  child.stdin.on('error', () => undefined).end(input)
  const code = await new Promise((done) => child.once('close', done))
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${errors.text}`)
  return report.text
}

function collect(stream) {
  const collected = { text: '' }
  stream.on?.('data', (chunk) => {
    collected.text += chunk
  })
  return collected
}
