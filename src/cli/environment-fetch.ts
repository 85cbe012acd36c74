import { CommandError } from './command-error.ts'

/**
 * Gives the `fetch` of this environment: through the proxy of `HTTPS_PROXY`, but for the hosts of `NO_PROXY`, or a
 * direct one. Loopback addresses without https never go through a proxy: it would read along.
 *
 * @param direct The runtime's own by default.
 * @throws CommandError `usage` where the proxy has no address.
 */
export async function environmentFetch(direct = globalThis.fetch): Promise<typeof globalThis.fetch> {
  const { HTTPS_PROXY, https_proxy = HTTPS_PROXY } = process.env
  if (!https_proxy) return direct
  // A module of CommonJS: whole, it is the same in a bundle and outside.
  const { EnvHttpProxyAgent, fetch } = (await import('undici')).default
  const dispatcher = new EnvHttpProxyAgent({ httpProxy: '', httpsProxy: proxyAddress(https_proxy) })
  const send = (address: string | URL, init: object) => fetch(address, { ...init, dispatcher })
  // A request of the runtime's own class is a stranger to this `fetch`: it is taken apart.
  const through = async (input: Request | string | URL, init: RequestInit = {}) => {
    if (!(input instanceof Request)) return send(input, init)
    const { method, headers, redirect, signal } = input
    const body = input.body === null ? undefined : await input.arrayBuffer()
    return send(input.url, { method, headers: [...headers], redirect, signal, body })
  }
  return through as unknown as typeof globalThis.fetch
}

/** Many write the address of a proxy without its scheme. It is not repeated: it may hold a password. */
function proxyAddress(text: string): string {
  const address = text.includes('://') ? text : `http://${text}`
  if (/^https?:/i.test(address) && URL.canParse(address)) return address
  throw new CommandError(
    'usage',
    'HTTPS_PROXY is no address of a proxy, such as http://proxy.example.com:8080',
  )
}
