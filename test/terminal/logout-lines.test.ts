import { expect, test } from 'vitest'
import { logoutLines } from '../../src/terminal/login-facts.ts'

test.each([
  ['git.example.com', ' Revoke it in your settings at git.example.com.'],
  ['localhost:8628', ''],
  ['127.0.0.1:8628', ''],
])('a logout from %s names the settings only where a user can have some', (host, advice) => {
  const [, ...lines] = logoutLines({ name: host, host }, { revoked: false, why: 'it failed' })
  expect(lines).toEqual([
    `  The service may still accept it: it was not revoked, because it failed.${advice}`,
  ])
})
