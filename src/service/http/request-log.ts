import { NOTHING_HERE } from './routes.ts'
import type { Handler } from './types.ts'

/**
 * What a log may hold of an answer. There is no secret in it: no query, no header and no body.
 *
 * @group Service
 */
export interface RequestLogEntry {
  /** Names this one request. The answer carries it too. */
  readonly id: string
  readonly method: string
  /** One of the paths of the service; `undefined` for any other, which may hold anything. */
  readonly path: string | undefined
  readonly status: number
  readonly milliseconds: number
}

/** Tells of each answer that a handler gives. */
export function withRequestLog(handle: Handler, tell: (answered: RequestLogEntry) => void): Handler {
  return async (request) => {
    const begin = performance.now()
    const id = crypto.randomUUID()
    const response = await handle(request)
    tell({
      id,
      method: request.method,
      path: response === NOTHING_HERE ? undefined : request.path,
      status: response.status,
      milliseconds: performance.now() - begin,
    })
    return { ...response, headers: { ...response.headers, 'x-request-id': id } }
  }
}
