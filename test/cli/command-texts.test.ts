import { expect, test } from 'vitest'
import { ApiError } from '../../src/auth/api-error.ts'
import { NotRefreshedError } from '../../src/cli/command-error.ts'
import { credentialAdvice, movedAdvice, textsOf } from '../../src/cli/command-texts.ts'
import {
  BadResponseError,
  RedirectedError,
  RefusedError,
  StoreUnavailableError,
  UnreachableError,
} from '../../src/errors.ts'

const REQUEST = 'GET git.example.com/api/v3/repos/o/old'
const BASE = 'https://git.example.com/api/v3'

test.each([
  ['/api/v3/repositories/123', 'If you trust the redirect, run the command with the path /repositories/123.'],
  ['/login', 'If you trust the redirect, run the command with the path /login.'],
  [undefined, ''],
])('says that the path of an API leads to %s', (path, advice) => {
  const error = new RedirectedError(REQUEST, path === undefined ? {} : { path })
  expect(movedAdvice(error, REQUEST, BASE) ?? '').toMatch(new RegExp(`^${advice}`))
  expect(movedAdvice(error, `${REQUEST}/1`, BASE)).toBeUndefined()
})

test.each([
  ['login', 'Check the address, or, '],
  ['mcp login', 'Check the URL of the MCP server.'],
  ['token', ''],
])('%s says where a redirect leads, and what to check', (command, advice) => {
  const error = new RedirectedError('POST git.example.com/login/device/code', { path: '/login' })
  const texts = textsOf(`authgraph ${command}`)
  const message = 'POST git.example.com/login/device/code redirects to /login: redirects are not followed'
  expect(texts.message(error)).toBe(message)
  expect(texts.message(new NotRefreshedError('work', error))).toContain(message)
  expect(texts.advice(error)).toMatch(advice === '' ? /^$/ : new RegExp(`^${advice}`))
})

test.each([
  ['login', 403, undefined, 'A firewall, a proxy or the login page'],
  ['mcp login', 403, undefined, 'A firewall, a proxy or the login page'],
  ['login', 403, 'odd', 'Check the client ID, the scopes'],
  ['login', 404, 'Not Found', 'Check the client ID.'],
  ['check', 404, undefined, 'Check the client ID. Check the address'],
  ['login', 400, 'slow_down', 'Too many requests: try again in a few minutes.'],
  ['login', 400, 'rate_limited', 'Too many requests: try again in a few minutes.'],
  ['api', 403, undefined, ''],
  ['api', 407, undefined, 'A firewall, a proxy or the login page'],
  ['status', 511, undefined, 'A firewall, a proxy or the login page'],
  ['login', 405, undefined, 'Check the address, or, '],
  ['login', 410, undefined, 'Check the address, or, '],
  ['login', 501, undefined, 'Check the address, or, '],
  ['token', 501, undefined, ''],
])('%s says for status %i with the error code %s: %s', (command, status, error, advice) => {
  const given = textsOf(`authgraph ${command}`).advice(new RefusedError({ status, error }))
  expect(advice === '' ? given === '' : given.startsWith(advice)).toBe(true)
})

test.each([
  [
    'http://localhost:8080',
    'ECONNRESET',
    'Try again. If the port serves https, use --host https://localhost:8080.',
  ],
  [
    'http://localhost:8080',
    'HPE_INVALID_CONSTANT',
    'The response is not valid HTTP. If the port serves https, use',
  ],
  ['https://localhost:8080', 'ECONNRESET', 'Try again. If that fails too'],
  ['git.example.com', 'ECONNRESET', 'Try again. If that fails too'],
])('says for %s after %s: %s', (host, reason, advice) => {
  const error = new UnreachableError('localhost:8080', reason)
  const adviceWith = (hasCodes: boolean) =>
    textsOf('authgraph login', { host, hasCodes: () => hasCodes }).advice(error)
  expect(adviceWith(false).slice(0, advice.length)).toBe(advice)
  expect(adviceWith(true)).not.toContain('--host')
})

test('says to use https if a response with status 400 is not in the format of the service', () => {
  const adviceAfter = (error?: string) =>
    textsOf('authgraph login', { host: 'http://localhost:8080' }).advice(
      new RefusedError({ status: 400, error }),
    )
  expect(adviceAfter()).toMatch(/ If the port serves https, use --host https:\/\/localhost:8080\.$/)
  expect(adviceAfter('odd')).not.toContain('--host')
})

test('says what to do about a service without the device flow, which is not a login page', () => {
  const message = 'the metadata of localhost has no "device_authorization_endpoint": the server may not'
  const adviceOf = (command: string) => textsOf(`authgraph ${command}`).advice(new BadResponseError(message))
  expect(adviceOf('login')).toMatch(/^Check the address, or, .* --token-endpoint\.$/)
  expect(adviceOf('mcp login')).toBe('Ask the operator of the issuer to allow the device flow.')
})

test('says to check the spelling of a host that has no address', () => {
  const { advice } = textsOf('authgraph login')
  const unknown = advice(new UnreachableError('localhots', 'ENOTFOUND'))
  expect(unknown).toMatch(/^Check the spelling of the host, and the connection\. Behind a proxy/)
  expect(advice(new UnreachableError('localhots', 'ETIMEDOUT'))).toMatch(/^Check the connection and the/)
})

const [ACCEPTED, GRANTED] = ['x-accepted-oauth-scopes', 'x-oauth-scopes']
const SSO = 'required; url=https://github.com/orgs/o/sso?authorization_request=A1'
const LACKING = 'The token may lack a scope: the request accepts'
const SCOPE = `${LACKING} one of admin:org, read:org.`
test.each([
  [403, { 'x-github-sso': SSO }, 'Authorize the token for the organization: open https://github.com/orgs/o/'],
  [403, { 'x-github-sso': 'required; url=http://github.com/' }, undefined],
  [403, { 'x-github-sso': SSO, 'retry-after': '9' }, undefined],
  [
    404,
    { [ACCEPTED]: 'admin:org, read:org', [GRANTED]: 'gist' },
    `${SCOPE} Run authgraph login --profile p --scopes gist,SCOPE.`,
  ],
  [
    403,
    { [ACCEPTED]: 'repo', [GRANTED]: 'gist' },
    `${LACKING} repo. Run authgraph login --profile p --scopes gist,repo.`,
  ],
  [404, { [ACCEPTED]: 'admin:org, read:org', [GRANTED]: 'read:org, gist' }, undefined],
  [403, { [ACCEPTED]: 'repo', [GRANTED]: '' }, undefined],
  [422, { [ACCEPTED]: 'repo', [GRANTED]: 'gist' }, undefined],
  [404, { 'x-github-request-id': '1' }, 'Check the path. GitHub also responds with 404'],
  [404, {}, undefined],
])('says after status %i of an API with %j: %s', (status, fields: Record<string, string>, advice) => {
  const retryAfter = fields['retry-after'] === undefined ? undefined : 9
  const refusal = { status, retryAfter, request: REQUEST }
  const error = new ApiError(refusal, { headers: new Headers(fields), body: undefined })
  expect(credentialAdvice(error, REQUEST, 'p', true)?.slice(0, advice?.length)).toBe(advice)
  expect(credentialAdvice(error, `${REQUEST}/1`, 'p', true)).toBeUndefined()
})

test('says to get a new code if the service refuses the code that was shown', () => {
  const error = new RefusedError({ status: 400, error: 'incorrect_device_code' })
  const adviceWith = (hasCodes: boolean) =>
    textsOf('authgraph login', { hasCodes: () => hasCodes }).advice(error)
  expect([true, false].map(adviceWith)).toEqual(['Run the command again to get a new code.', ''])
})

test('gives the host of GitHub no other address', () => {
  const adviceAt = (host: string) =>
    textsOf('authgraph login', { host }).advice(new RefusedError({ status: 404 }))
  expect(['github.com', 'octo.ghe.com'].map(adviceAt)).toEqual(Array(2).fill('Check the client ID.'))
  expect(adviceAt('git.example.com')).toMatch(/^Check the client ID\. Check the address, or, /)
})

test('says that a client needs a secret if its ID was good for a code', () => {
  const error = new RefusedError({ status: 401, error: 'invalid_client' })
  const textsWith = (hasCodes: boolean) => {
    const { message, advice } = textsOf('authgraph login', { hasCodes: () => hasCodes })
    return [message(error), advice(error)]
  }
  const refused = 'the service refused the request with error code invalid_client'
  expect(textsWith(false)).toEqual([`${refused}: check the client ID`, ''])
  expect(textsWith(true)).toEqual([
    refused,
    expect.stringMatching(/^The app seems to require a client secret/),
  ])
})

test('says an error of a file system in words', () => {
  const error = new StoreUnavailableError('/home/me/work.json cannot be read or written: ENOSPC')
  const message = '/home/me/work.json cannot be read or written: no space left on device'
  expect(textsOf('authgraph token').message(error)).toBe(message)
})
