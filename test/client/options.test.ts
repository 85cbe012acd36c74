import { describe, expect, test } from 'vitest'
import { authorizeDevice, type OAuthToken, refresh, Secret } from '../../src/index.ts'

const WRONG = [123, true, {}, [], Symbol('id'), () => 'id', null]

describe.each(['clientId', 'clientAuthentication'])('the option %s', (name) => {
  test.each(WRONG)('is refused with a typed error where it is %s', async (value) => {
    const options = { clientId: 'id', [name]: value } as { clientId: string }
    const token: OAuthToken = {
      accessToken: new Secret('ghu_old'),
      tokenType: 'bearer',
      scopes: [],
      missingScopes: [],
      refreshToken: new Secret('ghr_old'),
    }
    for (const call of [() => authorizeDevice(options), () => refresh(token, options)])
      await expect(call()).rejects.toMatchObject({
        code: 'bad_option',
        message: expect.stringContaining(name),
      })
  })
})

test('a client id that is missing or empty is refused at a refresh too', async () => {
  const token = { accessToken: new Secret('a'), refreshToken: new Secret('r') } as OAuthToken
  for (const clientId of ['', undefined])
    await expect(refresh(token, { clientId } as { clientId: string })).rejects.toMatchObject({
      code: 'bad_option',
      message: 'clientId is empty: pass the client id of your app',
    })
})
