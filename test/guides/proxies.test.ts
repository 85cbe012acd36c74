import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { granted, scriptedHttp } from '../cli/support/scripted-http.ts'
import { CERTIFICATE } from '../cli/support/serve.ts'
import { startConnectProxy } from '../support/connect-proxy.ts'

const root = resolve(import.meta.dirname, '../..')
const bundle = join(root, '.cache/guide-proxies.mjs')

/** Logs in and calls the API with the `fetch` of the guide, or with that of Node if the second argument says so. */
const PROGRAM = `
import { authorizeDevice, github } from 'authgraph'
import { createApi, oauth } from 'authgraph/auth'
import { proxyFetch } from './proxy-fetch.ts'

const [url, own] = process.argv.slice(2)
const via = { provider: github({ authUrl: url, baseUrl: url }), ...(own ? {} : { fetch: proxyFetch }) }
const token = await authorizeDevice({ clientId: 'id', onCodes: () => undefined, ...via })
const { login } = await createApi({ auth: oauth(token), ...via })('/user')
process.stdout.write(login)
`

/** In Node 22.21, and in 24.0 and later. */
const hasOwnProxy = process.allowedNodeEnvironmentFlags.has('--use-env-proxy')

beforeAll(async () => {
  mkdirSync(join(root, '.cache'), { recursive: true })
  await build({
    stdin: { contents: PROGRAM, resolveDir: join(import.meta.dirname, 'proxies'), loader: 'ts' },
    alias: { authgraph: join(root, 'src') },
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['undici', 'xstate', 'jose', 'ofetch', 'valibot'],
    outfile: bundle,
  })
})

test.each([
  { name: 'sends the login and API calls through HTTPS_PROXY', isUsed: true },
  { name: 'bypasses it for the hosts in NO_PROXY', env: { NO_PROXY: 'localhost' } },
  { name: 'does not send unencrypted requests through it', isSecure: false },
  ...(hasOwnProxy
    ? [
        {
          name: 'needs no code with NODE_USE_ENV_PROXY',
          own: 'own',
          env: { NODE_USE_ENV_PROXY: '1' },
          isUsed: true,
        },
      ]
    : []),
])(
  'a program behind a proxy $name',
  async ({ isUsed = false, isSecure = true, own, env }) => {
    const proxy = await startConnectProxy()
    const service = await scriptedHttp({ isSecure, polls: [granted('gho_token')] })
    onTestFinished(() => {
      proxy.close()
      service.close()
    })
    const words = [bundle, service.url, ...(own ? [own] : [])]
    const proxies = { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url }
    const { stdout } = await promisify(execFile)(process.execPath, words, {
      env: { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: CERTIFICATE, ...proxies, ...env },
    })
    expect(stdout).toBe('octocat')
    expect([...new Set(proxy.hosts)]).toEqual(isUsed ? [new URL(service.url).host] : [])
  },
  30_000,
)
