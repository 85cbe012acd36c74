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

/** How a proxy failed: the end of a sentence, and the status of its response or the code of the connection. */
interface ProxyFailure {
  readonly why: string
  readonly status?: number
  readonly reason?: string
}

/** The proxy failed, not the service. */
export class ProxyError extends UnreachableError {
  /** That of the request. */
  readonly host: string
  readonly proxy: GivenProxy
  readonly status: number | undefined

  constructor(host: string, proxy: GivenProxy, { why, status, reason }: ProxyFailure) {
    super(host, reason)
    this.message = `${host} cannot be reached: the proxy ${proxy.host} ${why}`
    this.host = host
    this.proxy = proxy
    this.status = status
  }
}

/** The connection to a proxy failed. `cause` is the error of the connection. */
export class ProxyConnectionError extends Error {}

/** What the codes and the names of errors of a connection mean. */
const FAILURES: Readonly<Record<string, string>> = {
  ECONNRESET: 'ended the connection without a response',
  HTTPParserError: 'did not respond with HTTP',
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
    // The parser of undici reports no code.
    const { reason = (thrown.cause as Error).name } = UnreachableError.of(proxy.host, thrown)
    return new ProxyError(host, proxy, { why: FAILURES[reason] ?? `cannot be reached (${reason})`, reason })
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
