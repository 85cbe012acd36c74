import { expect, test } from 'vitest'
import { signAppJwt } from '../src/app-jwt/index.ts'
import { app, createApi, installation, personalToken, withAuth } from '../src/auth/index.ts'
import {
  authorizeDevice,
  createDeviceAuthorization,
  discover,
  github,
  refresh,
  resumeDeviceAuthorization,
  rfc8628,
  startDeviceLogin,
} from '../src/index.ts'
import { privateKeyJwt, verifyIdToken } from '../src/oidc/index.ts'
import { brandedPage, createService } from '../src/service/index.ts'
import { redisStore } from '../src/service/stores/redis.ts'
import { sqlStore } from '../src/service/stores/sql/index.ts'
import { createSession, memoryStore } from '../src/session/index.ts'
import { fileStore } from '../src/session/node/index.ts'
import { createSandbox } from '../src/testing/index.ts'
import { oldToken } from './support/old-token.ts'

const onCodes = () => undefined
const store = memoryStore()
const clients = [{ clientId: 'id', name: 'My app' }]
const NO_CLIENT_ID = 'clientId is missing: pass the client ID of your app; is its environment variable set?'
const NO_CODES = 'onCodes is missing: pass a function that shows the code to the user'
const NO_PROVIDER =
  'provider must be what github({ … }), rfc8628({ … }) or "await discover(…)" returns, not a URL or a promise'
const SCOPE = 'unknown option "scope": did you mean "scopes"?'
const FETCH = 'unknown option "fech": did you mean "fetch"?'

/** What JavaScript calls with options that no type has checked. */
const like = <Options>(options: object | string | undefined) => options as Options

test.each<[string, () => unknown]>([
  [NO_CLIENT_ID, () => authorizeDevice(like({ clientId: process.env.NO_SUCH_VARIABLE, onCodes }))],
  [NO_CLIENT_ID, () => authorizeDevice(like({}))],
  [NO_CLIENT_ID, () => authorizeDevice(like(undefined))],
  [NO_CLIENT_ID, () => createSession(like({}))],
  [NO_CLIENT_ID, () => refresh(oldToken, like({}))],
  ['clientId is empty: pass the client ID', () => authorizeDevice(like({ clientId: '', onCodes }))],
  ['options must be in an object', () => createDeviceAuthorization(like('id'))],
  [NO_CODES, () => authorizeDevice(like({ clientId: 'id' }))],
  [NO_CODES, () => createSession({ clientId: 'id', store }).login()],
  [NO_PROVIDER, () => authorizeDevice(like({ clientId: 'id', onCodes, provider: 'https://github.com' }))],
  [
    NO_PROVIDER,
    () => authorizeDevice(like({ clientId: 'id', onCodes, provider: Promise.resolve(github()) })),
  ],
  [NO_PROVIDER, () => createApi(like({ provider: 'https://api.github.com' }))],
  ['auth must be a form such as personalToken(…), or a session', () => createApi(like({ auth: 'ghp_1' }))],
  [SCOPE, () => authorizeDevice(like({ clientId: 'id', onCodes, scope: 'repo' }))],
  [SCOPE, () => createDeviceAuthorization(like({ clientId: 'id', scope: 'repo' }))],
  [SCOPE, () => startDeviceLogin(like({ clientId: 'id', scope: 'repo' }))],
  [SCOPE, () => createSession(like({ clientId: 'id', store, scope: 'repo' }))],
  [
    'unknown option "authUrl": pass provider: github({ authUrl })',
    () => authorizeDevice(like({ authUrl: 'https://git.example' })),
  ],
  [
    'unknown option "tokenEndpoint": pass provider: rfc8628({ tokenEndpoint })',
    () => createSession(like({ store, tokenEndpoint: 'https://id.example/token' })),
  ],
  ['unknown option "client_id": did you mean "clientId"?', () => authorizeDevice(like({ client_id: 'id' }))],
  [FETCH, () => resumeDeviceAuthorization(like({}), like({ fech: fetch }))],
  [FETCH, () => refresh(oldToken, like({ clientId: 'id', fech: fetch }))],
  [FETCH, () => discover('https://id.example', like({ fech: fetch }))],
  [FETCH, () => createApi(like({ fech: fetch }))],
  [FETCH, () => withAuth(personalToken('ghp_1'), like({ fech: fetch }))],
  [FETCH, () => verifyIdToken(oldToken, like({ fech: fetch }))],
  [
    'unknown option "authurl": did you mean "authUrl"?',
    () => github(like({ authurl: 'https://git.example' })),
  ],
  [
    'unknown option "authurl": did you mean "authUrl"?',
    () => createService(like({ clients, authurl: 'https://id.example' })),
  ],
  ['unknown option "intervals": did you mean "interval"?', () => createSandbox(like({ intervals: 1 }))],
  [
    'unknown option of a client "clientID": did you mean "clientId"?',
    () => createService(like({ clients: [{ clientId: 'id', clientID: 'id', name: 'My app' }] })),
  ],
  [
    'unknown option "kid": the known ones are privateKey, sign, keyId, audience',
    () => privateKeyJwt(like({ kid: 1 })),
  ],
  ...[
    (options: object) => app(like({ appId: 1, privateKey: 'key', ...options })),
    (options: object) => memoryStore(like(options)),
    (options: object) => redisStore('redis://127.0.0.1', like(options)),
    (options: object) => sqlStore({ name: 'SQL', query: async () => [] }, like(options)),
  ].map((make): [string, () => unknown] => [
    'unknown option "clok": did you mean "clock"?',
    () => make({ clok: Date }),
  ]),
  ['unknown option "key": the known ones are seal', () => fileStore('app', like({ key: 'k' }))],
  ['unknown option "acent": did you mean "accent"?', () => brandedPage(like({ acent: '#0a7cff' }))],
  [
    'unknown option "tokenEndpont": did you mean "tokenEndpoint"?',
    () => rfc8628(like({ tokenEndpont: 'https://id.example/token' })),
  ],
  ['unknown option "repo": the known ones are', () => installation(like({ repo: 'octo/repo' }))],
  [
    'app must be what app({ … }) returns',
    () => installation(like({ app: { appId: 1, privateKey: 'key' }, owner: 'octo' })),
  ],
  [
    'authUrl must not be empty: is its environment variable set?',
    () => createService({ clients, authUrl: '' }),
  ],
])('%s', async (message, run) => {
  const error = await Promise.resolve()
    .then(run)
    .catch((error) => error)
  expect(error).toMatchObject({ code: 'bad_option', message: expect.stringContaining(message) })
})

test.each([undefined, ''])('the app id is %j', (appId) => {
  expect(() => app(like({ appId, privateKey: 'key' }))).toThrow(
    expect.objectContaining({
      code: 'bad_app_id',
      message: 'appId is missing: is its environment variable set?',
    }),
  )
})

test.each(['app.pem', './my-ssh-key.2024-01-01.pem', '/run/secrets/app', 'C:\\keys\\app.key'])(
  'the key %s is a path',
  async (privateKey) => {
    await expect(signAppJwt({ appId: 1, privateKey })).rejects.toMatchObject({
      code: 'key_unreadable',
      message: 'the private key cannot be read: it must be the text of a PEM file',
    })
  },
)
