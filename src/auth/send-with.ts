import { unlessAborted } from '../request/clock.ts'
import { discard } from '../request/http.ts'
import type { ApiTarget, Auth, AuthRequest } from './auth.ts'

export type AuthHeaders = Readonly<Record<string, string>>

/** How often one request is sent, whatever its form of authentication learns. */
const MOST_TRIES = 4

/**
 * Sends a request with the headers of a form, and again while the form learns from the response. The signal of the
 * request also stops waiting for the form, but not the form's own work, which other requests may share.
 */
export async function sendWith(
  auth: Auth,
  target: ApiTarget,
  request: AuthRequest & { readonly signal?: AbortSignal | null | undefined },
  send: (headers: AuthHeaders) => Promise<Response>,
): Promise<Response> {
  const { signal } = request
  for (let tries = 1; ; tries += 1) {
    const header = await unlessAborted(signal, () => auth.authorization(target))
    const proof = header && (await unlessAborted(signal, () => auth.prove?.(request, header)))
    const response = await send({
      ...(header && { authorization: header.reveal() }),
      ...(proof && { dpop: proof.reveal() }),
    })
    try {
      const mayRetry = await unlessAborted(signal, () => auth.learn?.(response, header, request))
      if (!mayRetry || tries === MOST_TRIES) return response
    } catch (error) {
      discard(response.body)
      throw error
    }
    discard(response.body)
  }
}
