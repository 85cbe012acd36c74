import { UnreachableError } from '../../errors.ts'

/** The proxy failed, not the service. `status` is what it answered, where it answered. */
export class ProxyError extends UnreachableError {
  readonly status: number | undefined

  constructor(host: string, { proxy, why, status }: { proxy: string; why: string; status?: number }) {
    super(host, `the proxy ${proxy} ${why}`)
    this.status = status
  }
}

/** The connection to a proxy failed. `cause` says how. */
export class ProxyConnectionError extends Error {}

/**
 * Finds in what `fetch` threw that the proxy is to blame.
 *
 * @param host The host that was asked for.
 * @param proxy The host of the proxy, without its password.
 */
export function proxyErrorIn(thrown: unknown, host: string, proxy: string): ProxyError | undefined {
  if (!(thrown instanceof Error)) return undefined
  if (thrown instanceof ProxyConnectionError) {
    const { reason = 'no reason' } = UnreachableError.of(proxy, thrown)
    return new ProxyError(host, { proxy, why: `cannot be reached (${reason})` })
  }
  // The client tells of the status in words alone.
  const status = Number(/^Proxy response \((\d{3})\)/.exec(thrown.message)?.[1])
  if (status) return new ProxyError(host, { proxy, why: whyOf(status), status })
  return proxyErrorIn(thrown.cause, host, proxy)
}

function whyOf(status: number): string {
  if (status === 407) return 'asks for a user name and a password (status 407)'
  return status >= 500 ? `could not connect to it (status ${status})` : `refused with status ${status}`
}
