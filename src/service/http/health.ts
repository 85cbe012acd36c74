import { type Handler, json } from './types.ts'

/** Answers what those ask who watch over processes: whether it lives, and whether requests may be sent to it. */
export function withHealth(handle: Handler, isReady: () => boolean | Promise<boolean>): Handler {
  return async (request) => {
    const isQuestion = request.method === 'GET' || request.method === 'HEAD'
    if (isQuestion && request.path === '/healthz') return json(200, { status: 'ok' })
    if (!isQuestion || request.path !== '/readyz') return handle(request)
    const ready = await Promise.resolve()
      .then(isReady)
      .catch(() => false)
    return ready ? json(200, { status: 'ready' }) : json(503, { status: 'not ready' })
  }
}
