import { expect, expectTypeOf, test } from 'vitest'
import { Secret } from '../../src/secret.ts'
import type { OPTIONS } from '../../src/service/host/check-options.ts'
import { createService, memoryStore, type ServiceOptions } from '../../src/service/index.ts'
import { CLIENT_ID, startService } from '../support/start-service.ts'

const ADVICE =
  'clients must list the clients that may request codes: [{ clientId: "my-app", name: "My app" }]'
const client = { clientId: CLIENT_ID, name: 'App' }
const api = { uri: 'https://api.example', name: 'API' }
const another = { clientId: 'another', name: 'Another app' }

const clients = (...clients: unknown[]) => ({ clients })

test('no name is accepted that is not an option', () => {
  expectTypeOf<keyof typeof OPTIONS>().toEqualTypeOf<keyof ServiceOptions>()
})

test.each<[unknown, string]>([
  [null, ADVICE],
  [undefined, ADVICE],
  ['options', 'options must be in an object'],
  [{ clients: 'my-app' }, 'clients must list'],
  [clients(null), 'clients[0].clientId must be the client ID, a string or a Secret'],
  [clients({ name: 'App' }), 'the client ID, a string or a Secret: is its environment'],
  [clients({ ...client, clientId: '' }), 'clients[0].clientId must be'],
  [clients(another, { ...client, clientId: 1 }), 'clients[1].clientId must be'],
  [clients({ clientId: CLIENT_ID }), 'clients[0].name must be the name that users see'],
  [clients({ ...client, scopes: 'repo' }), 'clients[0].scopes must list scopes'],
  [clients({ ...client, scopes: ['a b'] }), 'clients[0].scopes must list scopes'],
  [clients(client, { ...another, clientId: new Secret(CLIENT_ID) }), 'the same clientId twice'],
  [{ registration: 'yes' }, 'registration must be true, or an object of options'],
  [{ registration: { unusedLifetime: 0 } }, 'registration.unusedLifetime must be a whole number'],
  [{ registration: { unusedLifetme: 1 } }, 'unknown option of the registration "unusedLifetme"'],
  [{ clientIdMetadataDocuments: {} }, 'clientIdMetadataDocuments.hosts must list hosts'],
  [{ clientIdMetadataDocuments: { hosts: ['https://app.example'] } }, 'clientIdMetadataDocuments.hosts must'],
  [{ clientIdMetadataDocuments: { hosts: '*', scope: [] } }, 'unknown option of clientIdMetadataDocuments'],
  [{ resources: {} }, 'resources must list APIs'],
  [{ resources: [{ uri: 'api', name: 'API' }] }, 'resources[0].uri must be an absolute URI'],
  [{ resources: [{ uri: 'https://api.example/#v1', name: 'API' }] }, 'resources[0].uri must be'],
  [{ resources: [{ uri: 'https://api.example' }] }, 'resources[0].name must be the name'],
  [{ resources: [{ ...api, scopes: 'repo' }] }, 'resources[0].scopes must list scopes'],
  [{ resources: [{ ...api, jwks: [] }] }, 'resources[0].jwks must be a JSON Web Key Set'],
  [{ resources: [{ ...api, jwks: { keys: [{ kty: 'EC', d: 'private' }] } }] }, 'of public keys'],
  [{ resources: [{ ...api, jwks: { keys: [{ kty: 'oct', k: 'shared' }] } }] }, 'of public keys'],
  [{ resources: [{ ...api, scope: [] }] }, 'unknown option of a resource "scope"'],
  [{ resources: [api, { ...api, uri: 'https://API.example/' }] }, 'must not contain the same uri twice'],
  [{ authUrl: 'ftp://login.example' }, 'authUrl'],
  [{ authUrl: 'http://login.example' }, 'authUrl'],
  [{ authUrl: 'https://login.example', baseUrl: 'http://api.example' }, 'baseUrl'],
  [{ authUrl: 'http://127.0.0.1.example' }, 'authUrl'],
  [{ authUrl: 'https://user@login.example' }, 'authUrl'],
  [{ baseUrl: 'https://api.example?v=3' }, 'baseUrl'],
  [{ interval: 0 }, 'interval'],
  [{ interval: 1.5 }, 'interval'],
  [{ expiresIn: Number.NaN }, 'expiresIn'],
  [{ refreshTokens: {} }, 'refreshTokens.lifetime'],
  [{ refreshTokens: { lifetime: 1.5 } }, 'refreshTokens.lifetime'],
  [{ refreshTokens: { lifetime: 60, reuseWindow: -1 } }, 'refreshTokens.reuseWindow'],
  [{ refreshTokens: { lifetime: 60, reuseWindow: Number.POSITIVE_INFINITY } }, 'refreshTokens.reuseWindow'],
  [clients({ ...client, clientSecret: '' }), 'clients[0].clientSecret'],
  [{ store: 'postgres://127.0.0.1/authgraph' }, 'store must have a method "update"'],
  [{ store: Promise.resolve(memoryStore()) }, 'store must have a method "update"'],
  [{ leeway: -1 }, 'leeway'],
  [{ leeway: Number.POSITIVE_INFINITY }, 'leeway'],
  [{ users: [{ username: 'mo:na', password: 'secret' }] }, 'users'],
  [{ users: [{ username: '', password: 'secret' }] }, 'users'],
  [{ users: [{ username: 'mona', password: '' }] }, 'users'],
  [{ users: [null] }, 'users'],
  [{ users: 'mona' }, 'users'],
  [{ personalTokens: [{ token: '', user: 'mona' }] }, 'personalTokens'],
  [{ personalTokens: [null] }, 'personalTokens'],
  [{ apps: [null] }, 'apps'],
  [{ apps: [{ appId: 1 }] }, 'apps'],
  [{ apps: [1, '1'].map((appId) => ({ appId, publicKeys: [] })) }, 'apps'],
  [{ limits: { wrongUserCodes: null } }, 'limits.wrongUserCodes must have'],
  [{ limits: { wrongUserCodes: { max: 0, window: 60 } } }, 'limits.wrongUserCodes must have'],
  [{ limits: { codesRequests: { max: 1, window: 0 } } }, 'limits.codesRequests must have'],
  [{ limits: { codesRequests: 5 } }, 'limits.codesRequests must have'],
  [{ limits: { loginsOfUser: null } }, 'limits.loginsOfUser must be a whole number'],
  [{ limits: { loginsOfUser: 0 } }, 'limits.loginsOfUser must be a whole number'],
  [{ limits: { loginsOfUser: 1.5 } }, 'limits.loginsOfUser must be a whole number'],
  [
    { limits: { codeRequests: { max: 1, window: 60 } } },
    'unknown limit "codeRequests": did you mean "codesRequests"?',
  ],
  [{ secret: 'client-id-in-the-clear-31-bytes' }, 'secret'],
])('the options %j are refused by name, and no secret is quoted: %s', (given, message) => {
  const options = typeof given === 'object' && given ? { clients: [client], ...given } : given
  const create = () => createService(options as never)
  expect(create).toThrow(
    expect.objectContaining({ code: 'bad_option', message: expect.stringContaining(message) }),
  )
  expect(create).not.toThrow(CLIENT_ID)
})

test.each<Parameters<typeof startService>[0]>([
  { authUrl: 'https://login.example' },
  { authUrl: 'http://localhost:8628' },
  { authUrl: 'http://127.0.0.2' },
  { authUrl: 'http://[::1]:1' },
  { limits: { loginsOfUser: 1 } },
  { limits: { loginsOfUser: Number.POSITIVE_INFINITY } },
  { users: [{ username: 'mona', password: 'secret' }] },
  { apps: [1, 2].map((appId) => ({ appId, publicKeys: [] })) },
  // The length is counted in bytes.
  { secret: 'é'.repeat(16) },
])('the options %j are accepted', (options) => {
  expect(() => startService(options)).not.toThrow()
})
