import { generateKeyPairSync, verify } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { test } from './support/world.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
const passphrase = 'open sesame'
const encrypted = privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase })

/** A JWT with these claims and an invalid signature. */
const tokenOf = (claims: object) =>
  ['{"alg":"RS256"}', JSON.stringify(claims), 's']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.')

const now = Math.floor(Date.now() / 1000)

describe('authgraph jwt', { concurrent: true }, () => {
  test.for([
    ['a file', 'app.pem', {}],
    ['a variable', 'env:KEY', { env: { KEY: pem } }],
    ['a pipe whose writer is slow', '-', { inputAfter: 300, input: pem }],
  ] as const)('signs with a key from %s', async ([, key, options], { world }) => {
    writeFileSync(join(world.folder, 'app.pem'), pem)
    const sign = `jwt --app-id 12345 --key ${key}`
    const { stdout } = await world.expect(sign, {}, { cwd: world.folder, ...options })
    const [header = '', claims = '', signature = ''] = stdout.trim().split('.')
    const signed = Buffer.from(`${header}.${claims}`)
    expect(verify('sha256', signed, publicKey, Buffer.from(signature, 'base64url'))).toBe(true)
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ iss: 12345 })
  })

  test.for([
    [{ iat: -1e20, exp: 1e20 }, 0, ['exp         100000000000000000000, out of range\n']],
    [{ iss: '\u001b[2J', iat: 1, exp: now - 100 }, 3, /left {8}expired 1\d\d s ago/],
    [
      { iat: now + 3600, exp: now + 4000 },
      3,
      /left {8}(39\d\d|4000) s, but not valid for another (35\d\d|3600) s\n/,
    ],
    [
      { nbf: now + 3600, exp: now + 4000 },
      3,
      /\nnbf {9}\d+, 2\d{3}-[\w:.-]+Z\nexp .*\nleft .* s, but not valid for another (35\d\d|3600) s\n/,
    ],
  ] as const)('--decode of %j exits with %i', async ([claims, code, stdout], { world }) => {
    await world.expect('jwt --decode', { code, stdout, never: ['\u001b'] }, { input: tokenOf(claims) })
  })

  test.for([
    [tokenOf({ iat: now }), '✗ The JWT has no claim "exp"\n'],
    [tokenOf({ iat: '1', exp: now }), '✗ The claim "iat" of the JWT is not a number of seconds\n'],
    ['a.b.c', '✗ Not a signed JWT: expected three dot-separated parts, of which the first two are JSON'],
  ] as const)('--decode of %s says: %s', async ([input, error], { world }) => {
    await world.expect('jwt --decode', { code: 2, stdout: '', stderr: [error] }, { input })
  })

  test('--decode shows the claims and the seconds left of a new or a piped JWT', async ({ world }) => {
    const stdout = /^header {6}\{"alg":"RS256","typ":"JWT"\}\niss {9}"Iv1.abc"\n(.*\n)*left {8}5[34]\d s\n/
    await world.expect('jwt --app-id Iv1.abc --key - --decode', { stdout }, { input: pem })
    const json = await world.run('jwt --decode --json', { input: tokenOf({ iss: 1, exp: now + 1000 }) })
    const secondsLeft = expect.toSatisfy((left) => left > 800 && left < 1000)
    expect(JSON.parse(json.stdout)).toMatchObject({
      header: { alg: 'RS256' },
      claims: { iss: 1 },
      secondsLeft,
    })
  })

  test('says on a terminal that it reads standard input', async ({ world }) => {
    const terminal = world.open(['jwt', '--decode'])
    await terminal.shows(/^Reading standard input until Ctrl-D/)
    terminal.press('\u0004')
    expect(await terminal.exit).toBe(2)
  })

  test.for([
    [
      'encrypted',
      String(encrypted),
      'The private key of --key is encrypted: decrypt it with "openssl pkey -in <file> -out <new file>"',
    ],
    [
      'public',
      publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      '--key names a public key: pass the private key',
    ],
    [
      'in OpenSSH format',
      '-----BEGIN OPENSSH PRIVATE KEY-----',
      'The private key of --key is in OpenSSH format: if it is an RSA key, convert a copy with "ssh-keygen -p -m PEM -f <copy>"',
    ],
  ] as const)('explains once what to do about a key that is %s', async ([, input, error], { world }) => {
    const ended = { code: 1, stderr: `✗ ${error}\n`, never: ['CryptoKey', 'KeyObject', 'appId'] }
    await world.expect('jwt --app-id 1 --key -', ended, { input })
  })
})
