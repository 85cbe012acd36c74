import { UnreachableError } from '../../errors.ts'

/** A proxy of this command. */
export interface GivenProxy {
  /** Its host, without its credentials. */
  readonly host: string
  /** `http:` or `https:`. */
  readonly protocol: string
  readonly hasPassword: boolean
  /** The variable that names it, or `--proxy`. */
  readonly source: string
}

/** The proxy failed, not the service. `status` is the status of its response, if there was one. */
export class ProxyError extends UnreachableError {
  readonly proxy: GivenProxy
  readonly status: number | undefined

  constructor(host: string, proxy: GivenProxy, { why, status }: { why: string; status?: number }) {
    super(host)
    this.message += `: the proxy ${proxy.host} ${why}`
    this.proxy = proxy
    this.status = status
  }
}

/** The connection to a proxy failed. `cause` is the error of the connection. */
export class ProxyConnectionError extends Error {}

/** What the codes of a connection mean. */
const FAILURES: Readonly<Record<string, string>> = {
  ECONNRESET: 'ended the connection without a response',
  UND_ERR_HEADERS_TIMEOUT: 'did not respond in time',
}

/**
 * Finds a failure of the proxy in what `fetch` threw.
 *
 * @param host The host of the request.
 */
export function proxyErrorIn(thrown: unknown, host: string, proxy: GivenProxy): ProxyError | undefined {
  if (!(thrown instanceof Error)) return undefined
  if (thrown instanceof ProxyConnectionError) {
    const { reason = 'no reason' } = UnreachableError.of(proxy.host, thrown)
    return new ProxyError(host, proxy, { why: FAILURES[reason] ?? `cannot be reached (${reason})` })
  }
  // undici reports the status only in its message.
  const status = Number(/^Proxy response \((\d{3})\)/.exec(thrown.message)?.[1])
  if (status) return new ProxyError(host, proxy, { why: whyOf(status, proxy), status })
  return proxyErrorIn(thrown.cause, host, proxy)
}

function whyOf(status: number, { hasPassword }: GivenProxy): string {
  if (status === 407)
    return hasPassword
      ? 'rejected the user name and the password (status 407)'
      : 'requires a user name and a password (status 407)'
  return status >= 500
    ? `could not connect to it (status ${status})`
    : `refused the connection with status ${status}`
}
