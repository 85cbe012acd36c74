import { keep, type RefusalDetails, RefusedError } from '../errors.ts'

/**
 * The API refused a call. The message names the call, and ends with what the API says. `headers` and `body` come from the
 * server: show and log them with care.
 */
export class ApiError extends RefusedError {
  /** The response headers, such as `x-ratelimit-reset`. */
  declare readonly headers: Headers
  /** The parsed body if it is JSON, otherwise its text. GitHub sends `message`, `errors` and `documentation_url`. */
  readonly body: unknown
  /** The ID of the request in the logs of the API, from `X-GitHub-Request-Id` or `X-Request-Id`. */
  declare readonly requestId: string | undefined

  /** @param message Ends with what the API says, in one line. */
  constructor(
    refusal: RefusalDetails,
    { headers, body }: { readonly headers: Headers; readonly body: unknown },
    message?: string,
  ) {
    super(refusal, message)
    // Not enumerable: an uncaught error would print some thirty headers.
    Object.defineProperty(this, 'headers', { value: headers })
    this.body = body
    keep(this, {
      requestId: headers.get('x-github-request-id') ?? headers.get('x-request-id') ?? undefined,
    })
  }
}
