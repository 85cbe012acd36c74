import { expect, test } from 'vitest'
import { isBaseAddress, isLoopback, secureAddress } from '../../src/protocol/syntax.ts'

test.each([
  ['http://login.example', 'must use https'],
  ['http://10.0.0.1', 'must use https'],
  ['https://user@login.example', 'must not contain a user name'],
  ['https://:password@login.example', 'must not contain a user name'],
  ['ftp://localhost', 'must use https'],
  ['localhost:8080/user', 'the URL must use https'],
  ['login.example', 'is not absolute'],
])('secrets are not sent to %j', (address, why) => {
  expect(() => secureAddress(address)).toThrow(why)
})

test.each(['localhost', '[::1]', '127.0.0.1', '127.10.0.1', '127.0.10.1', '127.0.0.10'])(
  '%j never leaves this machine',
  (hostname) => expect(isLoopback(hostname)).toBe(true),
)

test.each([
  ...['app.localhost', 'localhost.', 'localhost.example', 'a127.0.0.1', '127.0.0.1.example', '0.0.0.0'],
  ...['128.0.0.1', '[::2]', '[::ffff:7f00:1]', ''],
])('%j may leave this machine', (hostname) => expect(isLoopback(hostname)).toBe(false))

test.each(['https://a.example', 'http://a.example/path', 'HTTPS://a'])('%j has paths below it', (address) => {
  expect(isBaseAddress(address)).toBe(true)
})

test.each([
  'https://a/?b',
  'https://a/#b',
  'https://b@a',
  'https://',
  'xhttps://a',
  'ftp://a',
  'https://a:x',
])('%j has no paths below it', (address) => expect(isBaseAddress(address)).toBe(false))
