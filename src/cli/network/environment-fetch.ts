import type { buildConnector } from 'undici'
import { CommandError } from '../command-error.ts'
import { ProxyConnectionError, proxyErrorIn } from './proxy-error.ts'

/** The variables that name a proxy for https, in the order of curl. */
const VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'] as const

type Connect = buildConnector.connector

/**
 * Gives the `fetch` of this environment: through the proxy of `HTTPS_PROXY` or `ALL_PROXY`, but for the hosts of
 * `NO_PROXY`, or a direct one. Loopback addresses without https never go through a proxy: it would read along.
 *
 * @param direct The runtime's own by default.
 * @throws CommandError `usage` where the proxy has no address. The `fetch` rejects with a ProxyError where the proxy fails.
 */
export async function environmentFetch(direct = globalThis.fetch): Promise<typeof globalThis.fetch> {
  const variable = VARIABLES.find((name) => process.env[name])
  if (!variable) return direct
  const proxy = proxyAddress(process.env[variable] ?? '', variable)
  // A module of CommonJS: whole, it is the same in a bundle and outside.
  const { EnvHttpProxyAgent, fetch, Pool } = (await import('undici')).default
  const dispatcher = new EnvHttpProxyAgent({
    httpProxy: '',
    httpsProxy: proxy.href,
    clientFactory: (origin, options) => {
      const { connect } = options as { connect: Connect }
      return new Pool(origin, { ...options, connect: blaming(connect) })
    },
  })
  const send = async (address: string | URL, init: object) => {
    try {
      return await fetch(address, { ...init, dispatcher })
    } catch (error) {
      throw proxyErrorIn(error, new URL(address).host, proxy.host) ?? error
    }
  }
  // A request of the runtime's own class is a stranger to this `fetch`: it is taken apart.
  const through = async (input: Request | string | URL, init: RequestInit = {}) => {
    if (!(input instanceof Request)) return send(input, init)
    const { method, headers, redirect, signal } = input
    const body = input.body === null ? undefined : await input.arrayBuffer()
    return send(input.url, { method, headers: [...headers], redirect, signal, body })
  }
  return through as unknown as typeof globalThis.fetch
}

/** Marks the errors of a connection as those of the proxy. */
function blaming(connect: Connect): Connect {
  return (options, callback) =>
    connect(options, (error, socket) => {
      if (error) callback(new ProxyConnectionError(error.message, { cause: error }), null)
      else callback(null, socket)
    })
}

/** Many write the address of a proxy without its scheme. It is not repeated: it may hold a password. */
function proxyAddress(text: string, variable: string): URL {
  const address = text.includes('://') ? text : `http://${text}`
  if (/^https?:/i.test(address) && URL.canParse(address)) return new URL(address)
  const isSocks = /^socks/i.test(address)
  throw new CommandError(
    'usage',
    isSocks
      ? `${variable} names a SOCKS proxy, and only HTTP proxies can be used: give one in HTTPS_PROXY`
      : `${variable} is not the address of a proxy, such as http://proxy.example.com:8080`,
  )
}
