import * as v from 'valibot'
import { assertKnown } from '../../assert-known.ts'
import { BadOptionError } from '../../errors.ts'
import { isBaseAddress, isLoopback, isScope } from '../../protocol/syntax.ts'
import type { Secret } from '../../secret.ts'
import { DEFAULT_LIMITS } from '../limits/limits.ts'

const FROM_ZERO = v.pipe(v.number(), v.finite(), v.minValue(0))
const FROM_ONE = v.pipe(v.number(), v.safeInteger(), v.minValue(1))
const TEXT = v.pipe(v.string(), v.nonEmpty())
const SCOPES = v.array(v.pipe(v.string(), v.check(isScope)))
const LIMIT = v.object({
  max: v.pipe(v.number(), v.minValue(1)),
  window: v.pipe(v.number(), v.finite(), v.minValue(1)),
})

const seconds = must('be a number of seconds, 0 or more', (value) => v.is(FROM_ZERO, value))
const wholeSeconds = must('be a whole number of seconds, 1 or more', (value) => v.is(FROM_ONE, value))
const limit = must('have "max", 1 or more, and "window", 1 second or more', (value) => v.is(LIMIT, value))

const limits = v.object({
  ...Object.fromEntries(Object.keys(DEFAULT_LIMITS).map((name) => [name, v.exactOptional(limit)])),
  loginsOfUser: v.exactOptional(
    must('be a whole number, 1 or more, or Infinity', (value) => value === 1 / 0 || v.is(FROM_ONE, value)),
  ),
})

const rules = v.object({
  codeLifetime: v.exactOptional(wholeSeconds),
  tokenLifetime: v.exactOptional(wholeSeconds),
  typeCode: v.exactOptional(v.union([v.boolean(), v.function()], 'must be a boolean or a function')),
  claimedBy: v.exactOptional(v.picklist(['browser', 'user'], 'must be "browser" or "user"')),
  assess: v.exactOptional(v.function('must be a function')),
})

/** Not one that inherits rules, such as methods of a class: a rule that is not read would not protect anybody. */
const policy = v.pipe(must('be a plain object', isPlainObject), rules)

const ofAClient = {
  clientId: secret('be the client ID, a string or a Secret: is its environment variable set?'),
  clientSecret: v.optional(secret('be the client secret, a string or a Secret')),
  name: must('be the name that users see', (value) => v.is(TEXT, value)),
  scopes: v.optional(must('list scopes such as "read:user"', (value) => v.is(SCOPES, value))),
  policy: v.optional(policy),
  dpop: v.optional(v.picklist(['off', 'allowed', 'required'], 'must be "off", "allowed" or "required"')),
}

const client = objectOf(ofAClient)

const ofDpop = {
  nonce: v.optional(v.boolean('must be a boolean')),
  singleUse: v.optional(v.boolean('must be a boolean')),
}

const ofARegistration = {
  scopes: ofAClient.scopes,
  policy: ofAClient.policy,
  unusedLifetime: v.optional(wholeSeconds),
}
const ofDocuments = {
  scopes: ofAClient.scopes,
  policy: ofAClient.policy,
  hosts: must(
    'list hosts such as "app.example.com", or be "*" for all',
    (value) => value === '*' || (Array.isArray(value) && value.every(isHost)),
  ),
  fetch: v.optional(v.function('must be a function')),
}
const ofAResource = {
  uri: must('be an absolute URI without a fragment', isResourceUri),
  name: must('be the name that users see', (value) => v.is(TEXT, value)),
  scopes: ofAClient.scopes,
  secret: v.optional(secret('be the secret of the API, a string or a Secret')),
  jwks: v.optional(
    must('be a JSON Web Key Set of public keys, RSA or EC: { keys: [{ kty: "EC", … }] }', isPublicKeySet),
  ),
}

/** RSA, or elliptic on P-256. What else a key must be is known when it is read. */
const signingKey = must(
  'be a private key for RS256 or ES256: PEM (PKCS#8, "BEGIN PRIVATE KEY"), a JWK, or a CryptoKey that can be exported',
  isPrivateKey,
)

const url = v.pipe(
  must('not be empty: is its environment variable set?', (value) => value !== ''),
  must('be an http(s) URL without a query', (value) => v.is(v.string(), value) && isBaseAddress(value)),
)

/** An option that is checked where it is used. */
const any = v.unknown()

/** How each option is checked: any other name is refused. */
export const OPTIONS = {
  clients: v.pipe(
    v.array(client, 'must list the clients that may request codes: [{ clientId: "my-app", name: "My app" }]'),
    v.check(
      (all) => isUnique(all.map(({ clientId }) => textOf(clientId))),
      'must not contain the same clientId twice',
    ),
  ),
  registration: v.optional(
    v.lazy((value) =>
      Object(value) === value
        ? objectOf(ofARegistration)
        : v.boolean('must be true, or an object of options'),
    ),
  ),
  clientIdMetadataDocuments: v.optional(objectOf(ofDocuments)),
  resources: v.optional(
    v.pipe(
      v.array(objectOf(ofAResource), 'must list APIs: [{ uri: "https://api.example.com", name: "My API" }]'),
      v.check(
        (all) => isUnique(all.map(({ uri }) => new URL(String(uri)).href)),
        'must not contain the same uri twice',
      ),
    ),
  ),
  users: v.optional(
    v.array(
      objectOf({
        // RFC 7617, section 2: the first colon ends the user name.
        username: must(
          'not be empty and have no colon',
          (value) => v.is(TEXT, value) && !value.includes(':'),
        ),
        password: secret('not be empty'),
      }),
      'must be a list',
    ),
  ),
  personalTokens: v.optional(v.array(objectOf({ token: secret('not be empty') }), 'must be a list')),
  apps: v.optional(
    v.pipe(
      v.array(
        objectOf({
          appId: v.union([v.string(), v.number()], 'must be a number or a string'),
          publicKeys: v.array(v.unknown(), 'must be a list of public keys'),
        }),
        'must be a list',
      ),
      v.check(
        (all) => isUnique(all.map(({ appId }) => String(appId))),
        'must not contain the same appId twice: list all public keys of an app in one entry',
      ),
    ),
  ),
  authUrl: v.optional(url),
  baseUrl: v.optional(url),
  dialect: v.optional(v.picklist(['github', 'rfc8628'], 'must be "github" or "rfc8628"')),
  interval: v.optional(wholeSeconds),
  expiresIn: v.optional(wholeSeconds),
  leeway: v.optional(seconds),
  store: v.optional(
    must(
      'have a method "update": pass memoryStore(), redisStore(…) or postgresStore(…)',
      (value) => typeof (value as { update?: unknown } | null)?.update === 'function',
    ),
  ),
  keys: v.optional(
    v.pipe(v.array(signingKey, 'must list private keys'), v.minLength(1, 'must not be empty')),
  ),
  accessToken: v.optional(v.picklist(['jwt', 'opaque'], 'must be "jwt" or "opaque"')),
  audience: v.optional(must('be the URI of your API', (value) => v.is(TEXT, value))),
  limits: v.nullish(limits),
  policy: v.optional(policy),
  dpop: v.optional(objectOf(ofDpop)),
  refreshTokens: v.optional(objectOf({ lifetime: wholeSeconds, reuseWindow: v.optional(seconds) })),
  api: any,
  allowHttp: any,
  openidConfiguration: any,
  authorizationEndpoint: any,
  firstPoll: any,
  clientAddress: any,
  secret: any,
  page: any,
  identify: any,
  issueToken: any,
  verifyToken: any,
  onWarning: any,
  onError: any,
  onEvent: any,
  onResponse: any,
  clock: any,
}

const schema = objectOf(OPTIONS)

/**
 * Checks the options of a service.
 *
 * @throws {@link BadOptionError} that names the option.
 */
export function checkOptions(options: unknown): void {
  // A function is asked later, for each client.
  const isAsked = typeof (options as { readonly clients?: unknown } | null)?.clients === 'function'
  const listed = isAsked ? { ...Object(options), clients: [] } : options
  const [issue] = v.safeParse(schema, listed).issues ?? []
  if (issue) throw new BadOptionError(messageOf(issue))
  const { clients, ...others } = listed as v.InferOutput<typeof schema>
  assertKnown(others.limits, limits.entries, 'limit')
  assertKnown(others.policy, rules.entries, 'rule')
  assertKnown(others.dpop, ofDpop, 'option of dpop')
  for (const client of clients) assertKnownInClient(client)
  if (others.dpop === undefined && clients.some(({ dpop }) => dpop === 'required'))
    throw new BadOptionError('the dpop of a client is "required": set the option dpop of the service, too')
  const { registration, clientIdMetadataDocuments: documents } = others
  if (typeof registration === 'object')
    assertKnown(registration, ofARegistration, 'option of the registration')
  assertKnown(documents, ofDocuments, 'option of clientIdMetadataDocuments')
  for (const resource of others.resources ?? []) assertKnown(resource, ofAResource, 'option of a resource')
  const { keys, accessToken = keys ? 'jwt' : 'opaque' } = others
  if (accessToken === 'jwt' && keys === undefined) throw new BadOptionError('accessToken "jwt" requires keys')
  if (accessToken === 'jwt' && others.verifyToken !== undefined)
    throw new BadOptionError(
      'verifyToken is for tokens of issueToken: with it and keys, set accessToken to "opaque"',
    )
  const { authUrl, baseUrl, allowHttp } = options as { readonly [name: string]: string | undefined }
  const { resources = [], audience = authUrl } = others
  // It would get a token for this API with scopes that the API does not have, and that its user was not told about.
  if (accessToken === 'jwt' && resources.some(({ uri }) => isSameUri(String(uri), String(audience))))
    throw new BadOptionError(
      'audience (by default authUrl) must not be the uri of a resource: a client that names none gets a token for it',
    )
  for (const [name, address] of Object.entries({ authUrl, baseUrl }))
    if (address !== undefined && !allowHttp && !isSecureOrLoopback(address))
      throw new BadOptionError(
        `${name} must be https, or http on a loopback address; on a test network, set allowHttp to true`,
      )
}

function isSameUri(uri: string, other: string): boolean {
  return URL.canParse(other) && new URL(uri).href === new URL(other).href
}

/**
 * Checks a client that the function `clients` returned.
 *
 * @throws {@link BadOptionError}
 */
export function checkClient(found: unknown): void {
  const [issue] = v.safeParse(client, found).issues ?? []
  if (issue) throw new BadOptionError(messageOf(issue))
  assertKnownInClient(found as v.InferOutput<typeof client>)
}

function assertKnownInClient(found: v.InferOutput<typeof client>): void {
  assertKnown(found, ofAClient, 'option of a client')
  assertKnown(found.policy, rules.entries, 'rule')
}

/** Whether nobody on the network can read what is sent to a URL: it is `https`, or never leaves this machine. */
export function isSecureOrLoopback(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || isLoopback(hostname)
}

/** Names the option, and says what is wrong with it. Never its value: that may be a secret. */
function messageOf({ path, message }: v.BaseIssue<unknown>): string {
  const option = (path ?? []).reduce(
    (before, { key }) => (typeof key === 'number' ? `${before}[${key}]` : `${before}${before && '.'}${key}`),
    '',
  )
  return `${option} ${message}`
}

function must(be: string, isValid: (value: unknown) => boolean) {
  return v.custom(isValid, `must ${be}`)
}

function secret(be: string) {
  return must(be, (value) => textOf(value) !== '')
}

/** The text of a string or a Secret; empty for anything else. */
function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (value as Partial<Secret> | null | undefined)?.reveal?.()
  return typeof text === 'string' ? text : ''
}

/** An object with these members, and any others. A member that is missing gets the message of its own schema. */
function objectOf<Entries extends v.ObjectEntries>(entries: Entries) {
  const names = Object.keys(entries)
  return v.pipe(
    v.unknown(),
    v.transform((value) => Object.fromEntries(names.map((name) => [name, Object(value)[name]]))),
    v.object(entries),
  )
}

function isHost(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    URL.canParse(`https://${value}`) &&
    new URL(`https://${value}`).host === value
  )
}

function isPrivateKey(value: unknown): boolean {
  const text = textOf(value)
  if (text !== '') return text.includes('-----BEGIN PRIVATE KEY-----') || text.trimStart().startsWith('{')
  const { kty, d, type, extractable } = Object(value)
  return (type === 'private' && extractable) || (['RSA', 'EC'].includes(kty) && d !== undefined)
}

/** RFC 7517, section 5. */
function isPublicKeySet(value: unknown): boolean {
  const { keys } = Object(value)
  const isPublic = (key: unknown) => {
    const { kty, d } = Object(key)
    return ['RSA', 'EC'].includes(kty) && d === undefined
  }
  return Array.isArray(keys) && keys.length > 0 && keys.every(isPublic)
}

/** RFC 8707, section 2. */
function isResourceUri(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && !value.includes('#')
}

function isUnique(values: readonly string[]): boolean {
  return new Set(values).size === values.length
}

function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}
