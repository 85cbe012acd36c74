import { describe, expect, test } from 'vitest'
import { exportToken, importToken, type OAuthToken, refresh, Secret } from '../../src/index.ts'
import { startFlow } from '../support/flow.ts'
import { responses } from '../support/responses.ts'

async function tokenOf(more: object = {}): Promise<OAuthToken> {
  const flow = startFlow([responses.codes, { ...responses.token, ...more }], { scopes: ['repo', 'user'] })
  const result = await flow.result()
  if (result?.status !== 'authorized') throw new Error(`not authorized but ${result?.status}`)
  return result.token
}

const expiring = {
  expires_in: 28_800,
  refresh_token: 'ghr_1',
  refresh_token_expires_in: 15_811_200,
  id_token: 'e30.e30.e30',
}

/** A token in plain view. */
function plain(token: OAuthToken) {
  const { accessToken, refreshToken, idToken, ...rest } = token
  return {
    ...rest,
    accessToken: accessToken.reveal(),
    refreshToken: refreshToken?.reveal(),
    idToken: idToken?.reveal(),
  }
}

const record = {
  v: 1,
  accessToken: 'gho_1',
  tokenType: 'bearer',
  scopes: ['repo'],
  missingScopes: [],
}

describe('a token that is kept', () => {
  test.each([
    ['with all fields', expiring],
    ['with the least fields', {}],
    ['of another type', { token_type: 'DPoP' }],
    ['of a type that cannot be read', { token_type: 5 }],
  ])('%s is the same when it is read again', async (_, more) => {
    const token = await tokenOf(more)
    const again = importToken(JSON.parse(JSON.stringify(exportToken(token))))
    expect(plain(again)).toEqual(plain(token))
    expect(Object.keys(again).sort()).toEqual(Object.keys(token).sort())
  })

  test('is a text that no header can contain', async () => {
    const token = await tokenOf()
    for (const one of [token, importToken(exportToken(token))]) {
      expect(() => new Headers({ authorization: `Bearer ${one}` })).toThrow(TypeError)
      expect(Object.keys(one)).not.toContain('toString')
    }
  })

  test('holds its own lists', async () => {
    const token = await tokenOf()
    exportToken(token).scopes.push('admin')
    expect(token.scopes).toEqual(['repo', 'gist'])
  })
})

describe('importToken', () => {
  test.each([
    ['v', 2],
    ['v', undefined],
    ['accessToken', undefined],
    ['accessToken', ''],
    ['accessToken', 'gho_\u001b[2J'],
    ['tokenType', undefined],
    ['tokenType', 5],
    ['scopes', 'repo'],
    ['scopes', [5]],
    ['missingScopes', null],
    ['expiresIn', 'soon'],
    ['expiresAt', Number.NaN],
    ['refreshToken', 5],
    ['refreshToken', 'ghr_\n'],
    ['refreshTokenExpiresIn', '9'],
    ['refreshTokenExpiresAt', null],
  ])('refuses a record with the %s %j', (name, value) => {
    expect(() => importToken({ ...record, [name]: value })).toThrow(
      expect.objectContaining({
        code: 'bad_option',
        message: `the token record has no valid "${name}"`,
      }),
    )
  })

  test.each([undefined, null, 'gho_secret', 5, []])('refuses %j, and quotes nothing', (json) => {
    expect(() => importToken(json)).toThrow(
      expect.objectContaining({ code: 'bad_option', message: expect.not.stringContaining('gho_secret') }),
    )
  })

  test('ignores what it does not know', () => {
    expect(importToken({ ...record, more: true })).not.toHaveProperty('more')
  })
})

describe('what is not a token', () => {
  const token = { ...record, accessToken: new Secret('gho_1'), refreshToken: new Secret('ghr_1') }

  test.each([
    ['one that was written as JSON', JSON.parse(JSON.stringify(token))],
    ['one of which half was written as JSON', { ...token, refreshToken: 'ghr_1' }],
    ['a record of exportToken', { ...record, refreshToken: 'ghr_1' }],
    ['the response of a service', { access_token: 'gho_1', refresh_token: 'ghr_1' }],
    ['text', 'ghr_1'],
    ['nothing', undefined],
    ['null', null],
  ])('is refused by name where it is %s', async (_, value) => {
    const expected = { code: 'bad_option', message: expect.stringContaining('importToken()') }
    await expect(refresh(value, { clientId: 'id' })).rejects.toMatchObject(expected)
    expect(() => exportToken(value)).toThrow(expect.objectContaining(expected))
  })
})
