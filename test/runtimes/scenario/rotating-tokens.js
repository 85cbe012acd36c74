/** A token with a refresh token that works once, and the `fetch` of the provider that issued it. */
export function rotatingTokens() {
  let generation = 0
  const sent = []
  return {
    first: {
      v: 1,
      accessToken: 'access-0',
      tokenType: 'bearer',
      scopes: ['repo'],
      missingScopes: [],
      expiresIn: 3600,
      refreshToken: 'refresh-0',
    },
    /** The path and the refresh token of each request. */
    sent,
    async fetch(address, { body }) {
      const { pathname } = new URL(address)
      const fields = new URLSearchParams(body)
      const token = fields.get('refresh_token') ?? fields.get('token')
      sent.push(`${pathname} ${token}`)
      if (token !== `refresh-${generation}`) return Response.json({ error: 'invalid_grant' }, { status: 400 })
      if (pathname === '/revoke') return new Response(null)
      generation += 1
      return Response.json({
        access_token: `access-${generation}`,
        token_type: 'bearer',
        expires_in: 3600,
        refresh_token: `refresh-${generation}`,
      })
    },
  }
}
