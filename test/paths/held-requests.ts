import type { WireResponse } from '../../src/testing/paths/wire-response.ts'

/** Requests of a client, each of which waits until a step responds. */
export class HeldRequests {
  #open: { readonly resolve: (response: Response) => void; readonly reject: (error: Error) => void }[] = []

  /** How many have no response yet. */
  get count(): number {
    return this.#open.length
  }

  hold(signal: AbortSignal | null | undefined): Promise<Response> {
    return new Promise((resolve, reject) => {
      const request = { resolve, reject }
      this.#open.push(request)
      signal?.addEventListener('abort', () => {
        this.#open = this.#open.filter((other) => other !== request)
        reject(new DOMException('aborted', 'AbortError'))
      })
    })
  }

  /** Responds to the oldest request; without a response, its connection breaks. */
  respond(response: WireResponse | undefined): void {
    const request = this.#open.shift()
    if (request === undefined) throw new TypeError('no request is on its way')
    if (response === undefined) {
      request.reject(new TypeError('fetch failed'))
      return
    }
    const { body, ...init } = response
    request.resolve(new Response(body, init))
  }
}
