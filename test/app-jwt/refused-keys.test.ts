import { createSecretKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type AppPrivateKey, Secret, signAppJwt } from '../../src/app-jwt/index.ts'
import type { JwtErrorCode } from '../../src/errors.ts'
import { expectKeyError } from './support/expect-key-error.ts'
import { certificate, cryptoKey, key, pem, publicPem } from './support/keys.ts'

/** Keys that cannot sign an application token, though they are good for something else. */
const otherKeys = {
  rsa1024: generateKeyPairSync('rsa', { modulusLength: 1024 }),
  rsaPss: generateKeyPairSync('rsa-pss', { modulusLength: 2048 }),
  ec: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  dsa: generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 }),
}

/** A key of 2048 bits less one: the shortest that is too short. */
const rsa2047 = generateKeyPairSync('rsa', { modulusLength: 2047 }).privateKey

const { pkcs1, privateKey } = key
const firstLine = '-----BEGIN RSA PRIVATE KEY-----'
const passphrase = { cipher: 'aes-256-cbc', passphrase: 'open sesame' }
const derOf = (text: string) => Buffer.from(text.replace(/-----.*-----|\s/g, ''), 'base64')
const encryptedPkcs1 = privateKey.export({ type: 'pkcs1', format: 'pem', ...passphrase }).toString()
const encryptedPkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem', ...passphrase }).toString()
const openssh = armored('OPENSSH PRIVATE KEY', Buffer.concat([Buffer.from('openssh-key-v1\0'), key.pkcs1Der]))
const { d: _, ...publicJwk } = key.jwk
const { p: __, ...jwkWithoutPrime } = key.jwk

/** Every unusable key, by the code that names it. */
const refused: Record<`key_${string}`, Record<string, () => unknown>> = {
  key_truncated: {
    'only the first line, with the quote before it': () => `"${firstLine}`,
    'the first and the last line': () => `${lines(pkcs1, 0, 1)}\n-----END RSA PRIVATE KEY-----\n`,
    'a line missing in the middle': () => lines(pkcs1, 0, 10) + lines(pkcs1, 11),
    'all but the first two lines': () => lines(pkcs1, 2),
  },
  key_public: {
    'SPKI PEM': () => publicPem(privateKey, 'spki'),
    'PKCS#1 PEM': () => publicPem(privateKey, 'pkcs1'),
    'PKCS#1 DER': () => derOf(publicPem(privateKey, 'pkcs1')),
    'SPKI under the label of a private key': () =>
      publicPem(privateKey, 'spki').replaceAll('PUBLIC', 'PRIVATE'),
    'only its first line': () => '-----BEGIN PUBLIC KEY-----',
    'the line of an authorized_keys file': () => `ssh-rsa ${btoa('ssh-rsa and so on')} me@example`,
    'a JWK': () => publicJwk,
    'a KeyObject': () => key.publicKey,
    'a CryptoKey': () =>
      crypto.subtle.importKey(
        'spki',
        derOf(publicPem(privateKey, 'spki')),
        { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
        true,
        ['verify'],
      ),
  },
  key_certificate: {
    PEM: () => certificate,
    DER: () => derOf(certificate),
    'only its first line': () => '-----BEGIN CERTIFICATE-----',
    'a trusted certificate': () => certificate.replaceAll('CERTIFICATE', 'TRUSTED CERTIFICATE'),
  },
  key_openssh: {
    'PEM in base64': () => btoa(openssh),
    'the format of ssh.com': () => armored('SSH2 ENCRYPTED PRIVATE KEY', key.pkcs1Der),
  },
  key_encrypted: {
    'PKCS#1 PEM': () => encryptedPkcs1,
    'PKCS#1 PEM with literal \\n': () => encryptedPkcs1.replaceAll('\n', '\\n'),
    'PKCS#8 PEM': () => encryptedPkcs8,
    'PKCS#8 DER': () => derOf(encryptedPkcs8),
    'only its first line': () => '-----BEGIN ENCRYPTED PRIVATE KEY-----',
    'PKCS#8 under another label': () => encryptedPkcs8.replaceAll('ENCRYPTED ', ''),
  },
  key_not_rsa: {
    'EC, PKCS#8 PEM': () => pem(otherKeys.ec.privateKey, 'pkcs8'),
    'EC, SEC1 PEM after its parameters': () =>
      `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${pem(otherKeys.ec.privateKey, 'sec1')}`,
    'EC, only its first line': () => '-----BEGIN EC PRIVATE KEY-----',
    'EC, SEC1 DER': () => derOf(pem(otherKeys.ec.privateKey, 'sec1')),
    'EC, JWK': () => otherKeys.ec.privateKey.export({ format: 'jwk' }),
    'EC, KeyObject': () => otherKeys.ec.privateKey,
    'EC, CryptoKey': async () =>
      (await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']))
        .privateKey,
    'DSA, PKCS#8 PEM': () => pem(otherKeys.dsa.privateKey, 'pkcs8'),
    'DSA, PEM of its own': () => armored('DSA PRIVATE KEY', Buffer.of(0x30, 3, 2, 1, 0)),
    'RSA-PSS, PKCS#8 PEM': () => pem(otherKeys.rsaPss.privateKey, 'pkcs8'),
    'RSA-PSS, KeyObject': () => otherKeys.rsaPss.privateKey,
    'a shared secret, JWK': () => ({ kty: 'oct', k: 'c2VjcmV0' }),
    'a shared secret, KeyObject': () => createSecretKey(Buffer.alloc(32)),
    'a shared secret, CryptoKey': () =>
      crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, true, ['sign']),
  },
  key_too_short: {
    'PKCS#1 PEM': () => pem(otherKeys.rsa1024.privateKey, 'pkcs1'),
    JWK: () => otherKeys.rsa1024.privateKey.export({ format: 'jwk' }),
    KeyObject: () => otherKeys.rsa1024.privateKey,
    'one bit less than 2048': () => pem(rsa2047, 'pkcs1'),
  },
  key_unreadable: {
    'an empty Secret': () => new Secret(''),
    'no bytes': () => new Uint8Array(),
    words: () => 'this is no key',
    'random bytes': () => Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8),
    'the number of an element we do not know': () => Uint8Array.of(0x30, 6, 2, 1, 0, 5, 0, 0),
    'an empty sequence': () => Uint8Array.of(0x30, 0),
    'a sequence whose member is longer than it': () => Uint8Array.of(0x30, 4, 2, 5, 0, 0, 0, 0, 0, 2, 1, 0),
    'PEM with other characters': () => pkcs1.replace(/\n(.{10})/, '\n**********'),
    'PEM of something else': () => armored('PRIVATE KEY', Buffer.from('hello, world')),
    'more bytes than any key has': () =>
      Buffer.concat([Buffer.of(0x30, 0x83, 1, 0, 0, 2, 1, 0, 2, 1, 0), Buffer.alloc(65_536)]),
    'a JWK without its primes': () => jwkWithoutPrime,
    'a JWK for another algorithm': () => ({ ...key.jwk, alg: 'RS512' }),
    'a JWK as damaged text': () => JSON.stringify(key.jwk).slice(0, -20),
    'a CryptoKey for another hash': () => cryptoKey({ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-512' }),
    'a CryptoKey for RSA-PSS': () => cryptoKey({ name: 'RSA-PSS', hash: 'SHA-256' }),
    'a CryptoKey for decryption': () => cryptoKey({ name: 'RSA-OAEP', hash: 'SHA-256' }, ['decrypt']),
    'something like a CryptoKey': () => ({ usages: ['sign'] }),
    'an object': () => ({ privateKey: pkcs1 }),
    'a number': () => 12345,
  },
}

describe.each(Object.entries(refused))('%s', (code, keys) => {
  test.each(Object.entries(keys))('%s', async (_, make) => {
    const unusable = (await make()) as AppPrivateKey
    const signing = signAppJwt({ appId: 1, privateKey: unusable })
    const error = await expectKeyError(signing, code as JwtErrorCode, await textOf(unusable))
    expect(error.message).toMatch(/: (pass|convert|decrypt|generate|import|is|it must be) /)
  })
})

test.each([undefined, null, '', ' \n'])(
  'a key that is not there (%j) is told from one that cannot be read',
  async (unset) => {
    const options = { appId: 1, privateKey: unset as string }
    const error = await expectKeyError(signAppJwt(options), 'key_unreadable')
    expect(error.message).toContain('the private key is missing')
  },
)

function armored(label: string, der: Uint8Array): string {
  const body = Buffer.from(der).toString('base64').replace(/.{64}/g, '$&\n')
  return `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`
}

function lines(text: string, from: number, to?: number): string {
  return text.split('\n').slice(from, to).join('\n')
}

/** All that a key could show of itself, as text, in base64 and as the fields of a JWK. */
async function textOf(unusable: unknown): Promise<string> {
  if (unusable instanceof Uint8Array) {
    const bytes = Buffer.from(unusable)
    return `${bytes.toString('latin1')}\n${bytes.toString('base64')}\n${bytes.toString('hex')}`
  }
  if (unusable instanceof Secret) return unusable.reveal()
  if (typeof unusable === 'object' && unusable !== null && 'kty' in unusable)
    return Object.values(unusable).join('\n')
  return typeof unusable === 'string' ? unusable : ''
}
