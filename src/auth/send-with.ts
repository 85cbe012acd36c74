import { discard } from '../protocol/read-text.ts'
import type { Secret } from '../secret.ts'
import type { ApiTarget, Auth } from './auth.ts'

/** How often one request is sent, whatever its form of authentication learns. */
const MOST_TRIES = 4

/** Sends a request with the header of a form, and again while the form learns from the response. */
export async function sendWith(
  auth: Auth,
  target: ApiTarget,
  send: (header: Secret | undefined) => Promise<Response>,
): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const header = await auth.authorization(target)
    const response = await send(header)
    try {
      if (!(await auth.learn?.(response, header)) || tries === MOST_TRIES) return response
    } catch (error) {
      discard(response.body)
      throw error
    }
    discard(response.body)
  }
}
