import { generateKeyPairSync } from 'node:crypto'
import { type AppPrivateKey, signAppJwt } from '../../src/app-jwt/index.ts'
import { app, createApi } from '../../src/auth/index.ts'
import {
  AuthgraphError,
  BusyError,
  CancelledError,
  DeniedError,
  type ErrorCode,
  ExpiredError,
  LoginPendingError,
  NotKeptError,
} from '../../src/errors.ts'
import { authorizeDevice, discover, type OAuthToken, resumeDeviceAuthorization } from '../../src/index.ts'
import { verifyIdToken } from '../../src/oidc/index.ts'
import { createService } from '../../src/service/index.ts'
import { sqlStore } from '../../src/service/stores/sql/index.ts'
import { createSession, memoryStore } from '../../src/session/index.ts'

const PENDING = {
  server: 'https://mcp.example',
  issuer: 'https://login.example',
  userCode: 'ABCD-EFGH',
  verificationUri: 'https://login.example/device',
  expiresAt: 0,
}

/** A clock whose timers end at once. */
const HASTY = {
  now: () => 0,
  setTimeout: (callback: () => void) => setTimeout(callback),
  clearTimeout: (timer: NodeJS.Timeout) => clearTimeout(timer),
}

const clientId = 'my-client-id'
const service = createService({ clients: [{ clientId, name: 'My app' }] })

/** For each code what throws, rejects with or returns an error that has it. */
const MISTAKES: Readonly<Record<ErrorCode, () => unknown>> = {
  denied: () => new DeniedError(),
  expired: () => new ExpiredError(),
  cancelled: () => new CancelledError(),
  forbidden: () => logIn(() => Response.json({ error: 'admin_policy_enforced' }, { status: 400 })),
  unreachable: () => logIn(() => Promise.reject(Object.assign(new Error(), { code: 'ECONNREFUSED' }))),
  timed_out: () => logIn(() => new Promise(() => undefined)),
  redirected: () => logIn(() => Response.redirect('https://login.example/', 302)),
  wrong_host: () => discover('http://login.example'),
  bad_response: () => logIn(() => new Response('<html>')),
  response_too_large: () => logIn(() => new Response('x'.repeat(2 ** 21))),
  refused: () => logIn(() => Response.json({ error: 'incorrect_client_credentials' })),
  bad_option: () => authorizeDevice({ clientId: '', onCodes: () => undefined }),
  bad_resume: () => resumeDeviceAuthorization('{}' as never),
  store_unavailable: () => sqlStore({ name: 'PostgreSQL', query: breakDown }, { timeout: 0.01 }).ping(),
  login_required: () => createSession({ clientId, store: memoryStore() }).token(),
  login_pending: () => new LoginPendingError(PENDING),
  busy: () => new BusyError(4711),
  not_kept: () => new NotKeptError({}),
  bad_id_token: () => verifyIdToken({} as OAuthToken, { issuer: undefined, clientId, jwks: undefined }),
  no_access: () => service.requireToken({ scopes: ['profile'] })(new Request('http://localhost/')),
  key_truncated: () => sign('-----BEGIN RSA PRIVATE KEY-----'),
  key_public: () => sign('-----BEGIN PUBLIC KEY-----'),
  key_certificate: () => sign('-----BEGIN CERTIFICATE-----'),
  key_openssh: () => sign('-----BEGIN OPENSSH PRIVATE KEY-----'),
  key_encrypted: () => sign('-----BEGIN ENCRYPTED PRIVATE KEY-----'),
  key_not_rsa: () => sign(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
  key_unreadable: () => sign('app.pem'),
  key_too_short: () => sign(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey),
  bad_app_id: () => signAppJwt({ appId: '', privateKey: '' }),
  clock_skew: () => {
    const date = new Date(0).toUTCString()
    const refuse = async () => new Response(null, { status: 401, headers: { date } })
    return createApi({ auth: app({ appId: 1, sign: () => new Uint8Array(256) }), fetch: refuse })('/app')
  },
  sign_failed: () => signAppJwt({ appId: 1, sign: breakDown }),
}

/** An example of each error, with the message that the code gives it. */
export async function errorExamples(): Promise<ReadonlyMap<ErrorCode, Error>> {
  const examples = Object.entries(MISTAKES).map(async ([code, make]) => {
    const error = await Promise.resolve()
      .then(make)
      .catch((error: unknown) => error)
    if (!(error instanceof AuthgraphError) || error.code !== code)
      throw new Error(`not an error ${code}`, { cause: error })
    return [error.code, error] as const
  })
  return new Map(await Promise.all(examples))
}

/** Requests codes from GitHub, which responds like this. */
function logIn(respond: () => Response | Promise<Response>): Promise<unknown> {
  return authorizeDevice({ clientId, onCodes: () => undefined, clock: HASTY, fetch: async () => respond() })
}

function sign(privateKey: AppPrivateKey): Promise<unknown> {
  return signAppJwt({ appId: 1, privateKey })
}

async function breakDown(): Promise<never> {
  throw Object.assign(new TypeError('broken'), { code: 'ECONNREFUSED' })
}
