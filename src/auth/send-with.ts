import { unlessAborted } from '../request/clock.ts'
import { discard } from '../request/response.ts'
import type { Secret } from '../secret.ts'
import type { ApiTarget, Auth } from './auth.ts'

/** How often one request is sent, whatever its form of authentication learns. */
const MOST_TRIES = 4

/**
 * Sends a request with the header of a form, and again while the form learns from the response. The signal of the
 * request also stops waiting for the form, but not the form's own work, which other requests may share.
 */
export async function sendWith(
  auth: Auth,
  target: ApiTarget,
  signal: AbortSignal | null | undefined,
  send: (header: Secret | undefined) => Promise<Response>,
): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const header = await unlessAborted(signal, () => auth.authorization(target))
    const response = await send(header)
    try {
      const mayRetry = await unlessAborted(signal, () => auth.learn?.(response, header))
      if (!mayRetry || tries === MOST_TRIES) return response
    } catch (error) {
      discard(response.body)
      throw error
    }
    discard(response.body)
  }
}
