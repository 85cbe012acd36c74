import { expect, test } from 'vitest'
import { CommandError } from '../../src/cli/command-error.ts'
import type { KeptLogin, TokenStore } from '../../src/cli/storage/kept-login.ts'
import { Secret } from '../../src/index.ts'

export function keptLogin(token: string): KeptLogin {
  return {
    clientId: new Secret(`client of ${token}`),
    token: {
      accessToken: new Secret(token),
      tokenType: 'bearer',
      scopes: ['repo', 'gist'],
      missingScopes: ['user'],
      expiresIn: 28_800,
      expiresAt: 1_767_225_600_000,
      refreshToken: new Secret(`refresh of ${token}`),
      refreshTokenExpiresIn: 100,
      refreshTokenExpiresAt: 1_777_225_600_000,
    },
  }
}

/** The login to expect: the two times of expiry replace the two durations. */
function plain({ clientId, token }: KeptLogin) {
  const { expiresIn, refreshTokenExpiresIn, accessToken, refreshToken, ...rest } = token
  return {
    ...rest,
    clientId: clientId.reveal(),
    token: accessToken.reveal(),
    refresh: refreshToken?.reveal(),
  }
}

/** The contract of every token store. `damage` replaces a stored login with invalid text. */
export function tokenStoreContract(
  store: () => Promise<TokenStore>,
  { damage }: { readonly damage: (profile: string) => Promise<void> },
): void {
  test('can store logins', async () => {
    await expect((await store()).check()).resolves.toBeUndefined()
  })

  test('returns a stored login, and undefined before', async () => {
    const kept = await store()
    expect(await kept.read('first')).toBeUndefined()
    await kept.write('first', keptLogin('gho_first'))
    const read = await (await store()).read('first')
    expect(read && plain(read)).toEqual(plain(keptLogin('gho_first')))
  })

  test('omits absent fields', async () => {
    const kept = await store()
    const { accessToken, tokenType, scopes, missingScopes } = keptLogin('gho_short').token
    const token = { accessToken, tokenType, scopes, missingScopes }
    await kept.write('short', { clientId: new Secret('id'), token })
    expect(Object.keys((await kept.read('short'))?.token ?? {}).sort()).toEqual(Object.keys(token).sort())
  })

  test('stores the last login of each profile', async () => {
    const kept = await store()
    for (const name of ['localhost:8080', 'me@work', 'git.example.com', '..'])
      for (const token of ['gho_old', `gho_${name.length}`]) await kept.write(name, keptLogin(token))
    for (const name of ['localhost:8080', 'me@work', 'git.example.com', '..'])
      expect((await kept.read(name))?.token.accessToken.reveal()).toBe(`gho_${name.length}`)
  })

  test('deletes a login and returns whether it existed', async () => {
    const kept = await store()
    await kept.write('gone', keptLogin('gho_gone'))
    expect(await kept.erase('gone')).toBe(true)
    expect(await kept.erase('gone')).toBe(false)
    expect(await kept.read('gone')).toBeUndefined()
  })

  test('refuses a damaged login without quoting it', async () => {
    await damage('damaged')
    const error = await (await store()).read('damaged').catch((thrown) => thrown)
    expect(error).toBeInstanceOf(CommandError)
    expect(error).toMatchObject({ code: 'damaged_file' })
    expect(String(error.stack)).not.toContain('gho_damaged')
  })

  test('says where a login is stored without exposing it', async () => {
    const kept = await store()
    await kept.write('shown', keptLogin('gho_shown'))
    expect(kept.place('shown')).toContain('shown')
    expect(kept.place('shown')).not.toContain('gho_')
  })
}
