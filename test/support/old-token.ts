import { type OAuthToken, Secret } from '../../src/index.ts'

/** A token that can be refreshed. */
export const oldToken: OAuthToken = {
  accessToken: new Secret('ghu_old'),
  tokenType: 'bearer',
  scopes: ['repo'],
  missingScopes: [],
  refreshToken: new Secret('ghr_old'),
}
