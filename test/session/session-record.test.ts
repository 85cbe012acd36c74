import { expect, test } from 'vitest'
import { github, importToken, WrongHostError } from '../../src/index.ts'
import { DamagedRecordError } from '../../src/session/index.ts'
import { findValidToken, loginRecord } from '../../src/session/session-record.ts'

const PLAIN = { v: 1, accessToken: 'token', tokenType: 'bearer', scopes: [], missingScopes: [] } as const

/** A record of a token that was requested at 1000 s. */
const record = (expiresIn?: number) =>
  loginRecord(
    {
      login: 'login',
      generation: 0,
      token: importToken({ ...PLAIN, ...(expiresIn && { expiresIn }) }),
      sentAt: 1_000_000,
    },
    github(),
  )

test.for([
  { lifetime: 600, at: 1539, isFound: true },
  { lifetime: 600, at: 1540, isFound: false },
  // Half of its lifetime is less than a minute.
  { lifetime: 100, at: 1049, isFound: true },
  { lifetime: 100, at: 1050, isFound: false },
  { lifetime: undefined, at: 1_000_000_000, isFound: true },
  // The clock was set back.
  { lifetime: 600, at: 939, isFound: false },
  { lifetime: 600, at: 940, isFound: true },
])(
  'finds a token of $lifetime s from 1000 s in its record at $at s: $isFound',
  ({ lifetime, at, isFound }) => {
    const token = findValidToken(record(lifetime), github(), at * 1000)
    expect(token?.accessToken.reveal()).toBe(isFound ? 'token' : undefined)
  },
)

test('finds no token in the record of another service, and none after the end of a login', () => {
  const other = github({ baseUrl: 'https://api.example.com' })
  expect(() => findValidToken(record(), other, 0)).toThrow(WrongHostError)
  expect(() => findValidToken({ ...record(), token: {} }, github(), 0)).toThrow(DamagedRecordError)
  expect(findValidToken({ v: 1, status: 'ended' }, github(), 0)).toBeUndefined()
  expect(findValidToken(undefined, github(), 0)).toBeUndefined()
})
