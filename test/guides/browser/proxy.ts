const SERVICE = 'https://github.com'
const LOGIN_PATHS = ['/login/device/code', '/login/oauth/access_token']

/**
 * Forwards the two login requests without cookies, and returns their
 * responses. Everything else is 404.
 */
export async function proxy(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (request.method !== 'POST' || !LOGIN_PATHS.includes(pathname))
    return new Response(null, { status: 404 })
  // Browsers send the site that a request comes from: refuse other sites.
  const site = request.headers.get('sec-fetch-site') ?? 'same-origin'
  if (site !== 'same-origin') return new Response(null, { status: 403 })

  const response = await fetch(SERVICE + pathname, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: await request.text(),
    redirect: 'manual',
  })
  const headers = new Headers({ 'cache-control': 'no-store' })
  for (const name of ['content-type', 'retry-after']) {
    const value = response.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  return new Response(response.body, { status: response.status, headers })
}
