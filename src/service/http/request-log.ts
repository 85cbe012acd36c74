import { withoutClientId } from '../../protocol/service-paths.ts'
import { NOTHING_HERE } from './routes.ts'
import type { Handler } from './types.ts'

/** One response, for a request log. It contains no secrets: no query, headers or body. */
export interface RequestLogEntry {
  /** The ID of the request, also sent in the header `X-Request-Id`. */
  readonly id: string
  /** The HTTP method. */
  readonly method: string
  /**
   * The path, if it is one of the service; otherwise `undefined`, since other paths may contain anything. A client ID in it
   * is replaced: `/applications/{client_id}/token`.
   */
  readonly path: string | undefined
  /** The HTTP status. */
  readonly status: number
  /** How long the response took. */
  readonly milliseconds: number
}

export function withRequestLog(handle: Handler, log: (entry: RequestLogEntry) => void): Handler {
  return async (request) => {
    const begin = performance.now()
    const id = crypto.randomUUID()
    const response = await handle(request)
    log({
      id,
      method: request.method,
      path: response === NOTHING_HERE ? undefined : withoutClientId(request.path),
      status: response.status,
      milliseconds: performance.now() - begin,
    })
    return { ...response, headers: { ...response.headers, 'x-request-id': id } }
  }
}
