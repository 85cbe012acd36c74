import { randomBytes } from 'node:crypto'
import { createService } from 'authgraph/service'
import { postgresStore } from 'authgraph/service/sql'
import fastify from 'fastify'
import pg from 'pg'

const { AUTH_URL = '', DATABASE_URL = '', PORT = '3000' } = process.env
const database = new pg.Pool({ connectionString: DATABASE_URL })
const app = fastify({ connectionTimeout: 40_000 })
const SIGNED_IN = 'SELECT id, login FROM signed_in WHERE session = $1'
const random = () => randomBytes(32).toString('base64url')

const service = createService({
  authUrl: AUTH_URL,
  clients: [{ clientId: 'our-cli', name: 'Our CLI', scopes: ['profile'] }],
  store: postgresStore(DATABASE_URL),
  refreshTokens: { lifetime: 90 * 24 * 60 * 60 },
  issueToken: random,
  async identify({ header }, returnTo) {
    const cookies = header('cookie') ?? ''
    const [, session] = /(?:^|; )__Host-id=([^;]+)/.exec(cookies) ?? []
    const { rows } = await database.query(SIGNED_IN, [session])
    const signInAt = `/login?return_to=${encodeURIComponent(returnTo)}`
    return rows[0] ? { user: rows[0] } : { signInAt }
  },
})
app.addHook('onRequest', async ({ raw, url }, reply) => {
  if (!service.paths.includes(url.split('?')[0] ?? '')) return
  reply.hijack()
  await service.requestListener(raw, reply.raw)
})

// Your API: no request passes without a token that has the scope.
const gate = service.requireToken({ scopes: ['profile'] })
app.get('/me', async (request) => (await gate(request)).user)

// Your own sign-in, if you have none yet. Limit its guesses, too.
const SIGN_IN = `INSERT INTO sessions SELECT $1, id FROM users
  WHERE login = $2 AND password = crypt($3, password)`
const FORM = `<form method="post"><input name="login">
  <input name="password" type="password"><button>Sign in</button></form>`
const readForm = async (_: unknown, body: string) => new URLSearchParams(body)
app.addContentTypeParser('*', { parseAs: 'string' }, readForm)
app.get('/login', (_, reply) => reply.type('text/html').send(FORM))
app.post<{ Body: URLSearchParams }>('/login', async (request, reply) => {
  const { body, url } = request
  const row = [random(), body.get('login'), body.get('password')]
  const { rowCount } = await database.query(SIGN_IN, row)
  if (rowCount === 0) return reply.code(401).type('text/html').send(FORM)
  const cookie = `__Host-id=${row[0]}; Path=/; Secure; HttpOnly; SameSite=Lax`
  const target = new URL(url, AUTH_URL).searchParams.get('return_to') ?? ''
  const isOurs = target.startsWith(`${AUTH_URL}/`)
  return reply.header('set-cookie', cookie).redirect(isOurs ? target : '/')
})
await app.listen({ port: Number(PORT) })
