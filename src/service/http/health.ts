import { type Handler, json } from './types.ts'

/** Adds the liveness probe `GET /healthz` and the readiness probe `GET /readyz`. */
export function withHealth(handle: Handler, isReady: () => boolean | Promise<boolean>): Handler {
  return async (request) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (isRead && request.path === '/healthz') return json(200, { status: 'ok' })
    if (!isRead || request.path !== '/readyz') return handle(request)
    const ready = await Promise.resolve()
      .then(isReady)
      .catch(() => false)
    return ready ? json(200, { status: 'ready' }) : json(503, { status: 'not ready' })
  }
}
