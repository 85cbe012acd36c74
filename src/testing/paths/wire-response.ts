/** A response to send: `new Response(body, { status, headers })`, or Playwright's `route.fulfill(response)`. */
export interface WireResponse {
  /** The HTTP status. */
  readonly status: number
  /** The HTTP headers, in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The body as text. */
  readonly body: string
}

export function jsonResponse(
  body: object,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): WireResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}

/** Creates an HTML page where JSON is expected, as proxies send it. */
export function pageResponse(status: number): WireResponse {
  return { status, headers: { 'content-type': 'text/html' }, body: '<html>A page of a proxy</html>' }
}
