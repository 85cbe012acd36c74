/**
 * What the service sends: `new Response(body, { status, headers })`, or Playwright's `route.fulfill(response)`.
 *
 * @group Testing
 */
export interface WireResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A response with a body of JSON. */
export function jsonResponse(
  body: object,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): WireResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}

/** A page where JSON is expected: what proxies send. */
export function pageResponse(status: number): WireResponse {
  return { status, headers: { 'content-type': 'text/html' }, body: '<html>A page of a proxy</html>' }
}
