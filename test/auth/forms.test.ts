import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import {
  app,
  BadOptionError,
  basic,
  none,
  oauth,
  personalToken,
  Secret,
  withAuth,
} from '../../src/auth/index.ts'
import { formContract, recordingFetch } from '../support/form-contract.ts'
import { rsaKeys } from '../support/rsa-keys.ts'

const { privateKey } = rsaKeys()
const record = { accessToken: new Secret('gho_secret'), tokenType: 'Bearer', scopes: [] }

formContract('none', () => none(), null, [])
formContract('basic', () => basic('Aladdin', 'open sesame'), /^Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==$/, [
  'open sesame',
  'QWxhZGRpbjpvcGVuIHNlc2FtZQ==',
])
formContract('personalToken', () => personalToken('github_pat_secret'), /^Bearer github_pat_secret$/, [
  'github_pat_secret',
])
formContract('app', () => app({ appId: 12345, privateKey }), /^Bearer eyJ[\w-]+\.[\w-]+\.[\w-]+$/, [
  privateKey,
  privateKey.slice(100, 140),
])
formContract('oauth', () => oauth(record), /^Bearer gho_secret$/, ['gho_secret'])

async function headerOf(auth: Parameters<typeof withAuth>[0]) {
  const { sent, fetch } = recordingFetch()
  await withAuth(auth, { fetch })('/')
  return sent[0]?.headers.get('authorization')
}

describe('basic', () => {
  test('writes UTF-8', async () => {
    expect(await headerOf(basic('test', new Secret('123£')))).toBe('Basic dGVzdDoxMjPCow==')
  })

  test.each([
    ['a:b', 'secret-password'],
    ['a\n', 'secret-password'],
    ['a', 'secret-\u0000password'],
    ['a', 'secret-password\u0085'],
  ])('refuses %j, %j without a word of it', (username, password) => {
    expect(() => basic(username, password)).toThrow(
      expect.objectContaining({ code: 'bad_option', message: expect.not.stringContaining('secret') }),
    )
  })
})

test.each([[], ['a'], [undefined, 'secret'], [5, 'secret'], ['a', null]])(
  'basic authentication asks for what is missing (%j, %j)',
  (...credentials) => {
    expect(() => basic(...(credentials as unknown as ['a', 'b']))).toThrow(
      new BadOptionError('basic authentication needs a user name and a password'),
    )
  },
)

describe('a bearer token', () => {
  test.each(['', 'secret token', 'secret\n', 'secret\r\nX-Own: 1', 'secré', 'secret,other'])(
    '%j is refused, not printed',
    (token) => {
      for (const make of [personalToken, oauth]) {
        expect(() => make(token)).toThrow(
          expect.objectContaining({ code: 'bad_option', message: expect.not.stringContaining('secr') }),
        )
      }
    },
  )

  test('may come as text, as a secret or as a record', async () => {
    expect(await headerOf(oauth('gho_text'))).toBe('Bearer gho_text')
    expect(await headerOf(oauth(new Secret('gho_secret')))).toBe('Bearer gho_secret')
    expect(await headerOf(oauth(record))).toBe('Bearer gho_secret')
    expect(await headerOf(personalToken(new Secret('ghp_secret')))).toBe('Bearer ghp_secret')
  })

  test.each(['mac', '', 5, undefined])('of the type %j is not sent', (tokenType) => {
    expect(() => oauth({ ...record, tokenType: tokenType as string })).toThrow(BadOptionError)
  })

  test.each([undefined, null])('that is missing (%j) is asked for', (token) => {
    for (const make of [personalToken, oauth])
      expect(() => make(token as unknown as string)).toThrow('the token is empty')
  })
})

describe('the debug output of a form', () => {
  test('shows only the id of an app', () => {
    const auth = app({ appId: 12345, privateKey })
    expect(JSON.stringify(auth)).toBe('{"form":"app","appId":12345}')
    expect(inspect(auth)).toBe("App { form: 'app', appId: 12345 }")
  })

  test('shows of the others nothing', () => {
    for (const auth of [none(), basic('name', 'p'), personalToken('t'), oauth('t')]) {
      expect(JSON.stringify(auth)).toBe(`{"form":"${auth.form}"}`)
    }
  })
})
