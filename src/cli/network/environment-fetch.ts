import type { Pool as UndiciPool } from 'undici'
import { CommandError } from '../command-error.ts'
import { ProxyConnectionError, proxyErrorIn } from './proxy-error.ts'

/** The variables that name a proxy for https, in the order that curl uses. */
const VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'] as const

/** Milliseconds that a proxy may take to connect: less than a request may, so that the error is that of the proxy. */
const CONNECT_TIMEOUT = 25_000

/**
 * Returns a `fetch` that uses the proxy in `HTTPS_PROXY` or `ALL_PROXY`, except for hosts in `NO_PROXY`. Without a proxy,
 * returns `direct`. Requests over http, which are only allowed to loopback addresses, never use the proxy: it could read
 * them. The `fetch` rejects with a {@link ProxyError} if the proxy fails.
 *
 * @param direct The `fetch` without a proxy; that of the runtime by default.
 * @param given The proxy of an option, which replaces that of the variables.
 * @throws {@link CommandError} with code `bad_variable`, or `usage` for an option, if the address of the proxy is not valid.
 */
export async function environmentFetch(
  direct = globalThis.fetch,
  given?: string,
): Promise<typeof globalThis.fetch> {
  const variable = proxyVariable()
  const address = given ?? process.env[variable ?? '']
  if (!address) return direct
  const source = given === undefined ? String(variable) : '--proxy'
  const proxy = proxyAddress(address, source)
  let loaded: ReturnType<typeof load> | undefined
  const send = async (address: string | URL, init: object) => {
    loaded ??= load(proxy)
    const { fetch, dispatcher } = await loaded
    try {
      return await fetch(address, { ...init, dispatcher })
    } catch (error) {
      const { host, protocol, password } = proxy
      const given = { host, protocol, hasPassword: password !== '', source }
      throw proxyErrorIn(error, new URL(address).host, given) ?? error
    }
  }
  // This `fetch` does not accept the Request class of the runtime.
  const through = async (input: Request | string | URL, init: RequestInit = {}) => {
    if (!(input instanceof Request)) return send(input, init)
    const { method, headers, redirect, signal } = input
    const body = input.body === null ? undefined : await input.arrayBuffer()
    return send(input.url, { method, headers: [...headers], redirect, signal, body })
  }
  return through as unknown as typeof globalThis.fetch
}

/** The variable that names the proxy. */
export function proxyVariable(): string | undefined {
  return VARIABLES.find((name) => process.env[name])
}

/** Loads what sends requests through a proxy: most calls for a token send none. */
async function load(proxy: URL) {
  // The default import of a CommonJS module is the same in a bundle and outside.
  const { EnvHttpProxyAgent, fetch, Pool } = (await import('undici')).default
  const dispatcher = new EnvHttpProxyAgent({
    httpProxy: '',
    httpsProxy: proxy.href,
    clientFactory: (origin, options) =>
      blameProxy(new Pool(origin, { ...options, headersTimeout: CONNECT_TIMEOUT })),
  })
  return { fetch, dispatcher }
}

/** Marks connection errors as those of the proxy. undici would otherwise connect again and again after some of them. */
function blameProxy(pool: UndiciPool): UndiciPool {
  const connect = pool.connect.bind(pool) as (options: object) => Promise<unknown>
  const blaming = (options: object) =>
    connect(options).catch((cause: Error) => {
      throw new ProxyConnectionError(cause.message, { cause })
    })
  return Object.assign(pool, { connect: blaming })
}

/** Parses the address of a proxy, often written without a scheme. Errors do not quote it: it may contain a password. */
function proxyAddress(text: string, source: string): URL {
  const address = text.includes('://') ? text : `http://${text}`
  if (/^https?:/i.test(address) && URL.canParse(address)) {
    const proxy = new URL(address)
    try {
      // undici does this too, and its error has no code.
      decodeURIComponent(`${proxy.username}:${proxy.password}`)
    } catch {
      throw badProxy(source, 'has invalid percent-encoding in its user name or password: write % as %25')
    }
    return proxy
  }
  if (!/^socks/i.test(address))
    throw badProxy(source, 'is not a proxy address: use one such as http://proxy.example.com:8080')
  const better = source.replace('ALL', 'HTTPS').replace('all', 'https')
  throw badProxy(
    source,
    `names a SOCKS proxy, but only HTTP proxies are supported: unset it, or set ${better} to an HTTP proxy`,
  )
}

/** The help of a command describes its options, but not the variables. */
function badProxy(source: string, problem: string): CommandError {
  return new CommandError(source === '--proxy' ? 'usage' : 'bad_variable', `${source} ${problem}`)
}
