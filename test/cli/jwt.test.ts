import { generateKeyPairSync, verify } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { test } from './support/world.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
const encrypted = privateKey.export({
  type: 'pkcs8',
  format: 'pem',
  cipher: 'aes-256-cbc',
  passphrase: 'open sesame',
})
const inFile = (world: { folder: string }) => {
  const path = join(world.folder, 'app.pem')
  writeFileSync(path, pem)
  return path
}

/** A JWT with these claims and an invalid signature. */
const tokenOf = (claims: object) =>
  ['{"alg":"RS256"}', JSON.stringify(claims), 's']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.')

describe('authgraph jwt', { concurrent: true }, () => {
  test('signs with a key from a file, a variable or standard input', async ({ world }) => {
    const sign = ['jwt', '--app-id', '12345', '--key']
    const made = await Promise.all([
      world.run([...sign, inFile(world)]),
      world.run([...sign, 'env:KEY'], { env: { KEY: pem } }),
      world.run([...sign, '-'], { input: pem }),
    ])
    for (const { code, stdout } of made) {
      expect(code).toBe(0)
      const [header = '', claims = '', signature = ''] = stdout.trim().split('.')
      const isSigned = verify(
        'sha256',
        Buffer.from(`${header}.${claims}`),
        publicKey,
        Buffer.from(signature, 'base64url'),
      )
      expect(isSigned).toBe(true)
      expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ iss: 12345 })
    }
  })

  test('waits for a slow writer of the pipe', async ({ world }) => {
    const stdout = /^[\w-]+\.[\w-]+\.[\w-]+\n$/
    await world.expect('jwt --app-id 1 --key -', { stdout }, { inputAfter: 300, input: pem })
  })

  const now = Math.floor(Date.now() / 1000)
  test.for([
    [{ iat: -1e20, exp: 1e20 }, 0, ['exp         100000000000000000000, out of range\n']],
    [{ iss: '\u001b[2J', iat: 1, exp: now - 100 }, 3, /left {8}expired 1\d\d s ago/],
    [{ iss: 1, iat: now + 3600, exp: now + 4000 }, 3, /left {8}(39\d\d|4000) s\n/],
  ] as const)('--decode of %j exits with %i', async ([claims, code, stdout], { world }) => {
    await world.expect('jwt --decode', { code, stdout, never: ['\u001b'] }, { input: tokenOf(claims) })
  })

  test('--decode shows the claims and the seconds left of a new or a piped JWT', async ({ world }) => {
    const stdout = /^header {6}\{"alg":"RS256","typ":"JWT"\}\niss {9}"Iv1.abc"\n(.*\n)*left {8}5[34]\d s\n/
    await world.expect(['jwt', '--app-id', 'Iv1.abc', '--key', inFile(world), '--decode'], { stdout })
    const json = await world.run('jwt --decode --json', { input: tokenOf({ iss: 1, exp: now + 1000 }) })
    expect(JSON.parse(json.stdout)).toMatchObject({
      header: { alg: 'RS256' },
      claims: { iss: 1 },
      secondsLeft: expect.toSatisfy((left) => left > 800 && left < 1000),
    })
  })

  test.for([
    ['jwt --key app.pem', 'No app id: set --app-id'],
    ['jwt --app-id 1', 'No private key: set --key'],
    ['jwt --app-id 1 --key /nowhere', 'cannot be read (ENOENT): use a file'],
    ['jwt --app-id 1 --key env:NOT_SET', '--key is empty: check that the variable is set'],
    ['jwt --decode', 'is empty'],
  ] as const)('refuses %s with a message', async ([words, sentence], { world }) => {
    await world.expect(words, { code: 2, stderr: [sentence] })
  })

  test('explains once what to do about a key that is encrypted', async ({ world }) => {
    const advice = 'decrypt it with "openssl pkey -in <file> -out <new file>"'
    const ended = { code: 1, stderr: [advice], never: ['CryptoKey', 'KeyObject', 'appId'] }
    const { stderr } = await world.expect('jwt --app-id 1 --key -', ended, { input: String(encrypted) })
    expect(stderr).toMatch(/^✗ .+\n$/)
  })
})
