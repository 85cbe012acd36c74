import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { granted } from './scripted-http.ts'
import type { World } from './world.ts'

/** The token of the login, and that of the first refresh. */
export const TOKEN = 'ghu_tokenInTheClear0123456789'
export const FRESH = 'ghu_freshTokenInTheClear012345'
/** What makes a token expire, and be refreshed. */
export const RENEWABLE = { expires_in: 28_800, refresh_token: 'ghr_refreshInTheClear' }

/** The file of a login. */
export const fileOf = (world: World, profile = 'work') =>
  join(world.folder, 'state', 'logins', `${profile}.json`)

/** A profile `work`, logged in to a service that issues a new token at the next refresh. */
export async function loggedIn(world: World, more: object = {}, next: object = granted(FRESH, RENEWABLE)) {
  const service = await world.scripted({ polls: [granted(TOKEN, more), next] })
  expect((await world.login(service.url, '--profile work')).code).toBe(0)
  const record = () => JSON.parse(readFileSync(fileOf(world), 'utf8'))
  /** Changes the record of the login. */
  const change = (make: (value: ReturnType<typeof record>) => void) => {
    const { value } = record()
    make(value)
    writeFileSync(fileOf(world), JSON.stringify({ value }))
  }
  return {
    ...service,
    host: new URL(service.url).host,
    record,
    change,
    /** Makes the token expire. */
    expire: () =>
      change((value) => {
        value.sentAt = 0
      }),
    refreshes: () => service.requests.filter(({ fields }) => fields.get('grant_type') === 'refresh_token'),
  }
}

/** A login at an OAuth server with these endpoints beside those of a device flow. */
export async function atIssuer(world: World, more: (url: string) => object = () => ({})) {
  const document: Record<string, string> = {}
  const issuer = await world.scripted({ polls: [granted(TOKEN, RENEWABLE)], user: document })
  Object.assign(document, {
    issuer: issuer.url,
    device_authorization_endpoint: `${issuer.url}/login/device/code`,
    token_endpoint: `${issuer.url}/login/oauth/access_token`,
    ...more(issuer.url),
  })
  await world.expect(`login --issuer ${issuer.url} --client-id id --store file`, {})
  return issuer
}
