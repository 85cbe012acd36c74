import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
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
const token = await authorizeDevice({ clientId: 'id', ...via })
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

/** A service, a proxy, and a program that uses both. */
async function world({ isSecure }: { readonly isSecure: boolean }) {
  const proxy = await startConnectProxy()
  const service = await scriptedHttp({ isSecure, polls: [granted('gho_token')] })
  onTestFinished(() => {
    proxy.close()
    service.close()
  })
  const run = async (args: readonly string[], env: Record<string, string>) => {
    const { stdout } = await promisify(execFile)(process.execPath, [bundle, service.url, ...args], {
      env: { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: CERTIFICATE, ...env },
    })
    return stdout
  }
  return { proxy, run, host: new URL(service.url).host }
}

describe('a program behind a proxy', { timeout: 30_000 }, () => {
  test('sends the login and API calls through HTTPS_PROXY', async () => {
    const { proxy, run, host } = await world({ isSecure: true })
    expect(await run([], { HTTPS_PROXY: proxy.url })).toBe('octocat')
    expect(new Set(proxy.hosts)).toEqual(new Set([host]))
  })

  test('bypasses it for the hosts in NO_PROXY', async () => {
    const { proxy, run } = await world({ isSecure: true })
    expect(await run([], { HTTPS_PROXY: proxy.url, NO_PROXY: 'localhost' })).toBe('octocat')
    expect(proxy.hosts).toEqual([])
  })

  test('does not send unencrypted requests through it', async () => {
    const { proxy, run } = await world({ isSecure: false })
    expect(await run([], { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url })).toBe('octocat')
    expect(proxy.hosts).toEqual([])
  })

  test.skipIf(!hasOwnProxy)(
    `needs no code where Node takes NODE_USE_ENV_PROXY${hasOwnProxy ? '' : ' (skipped: this one does not)'}`,
    async () => {
      const { proxy, run, host } = await world({ isSecure: true })
      expect(await run(['own'], { HTTPS_PROXY: proxy.url, NODE_USE_ENV_PROXY: '1' })).toBe('octocat')
      expect(new Set(proxy.hosts)).toEqual(new Set([host]))
    },
  )
})
