import { InvalidArgumentError } from 'commander'
import { expect, test } from 'vitest'
import { profileName, readHost, readSecureUrl, scopes, wholeNumber } from '../../src/cli/commands/values.ts'

const PARSERS = {
  'a number': wholeNumber(1, 300),
  'a number of seconds': wholeNumber(1, 9, 'seconds'),
  scopes: (text: string) => scopes(text, ['repo']),
  'the first scopes': (text: string) => scopes(text),
  'a host': readHost,
  'an address': readSecureUrl,
  'a name': profileName,
}

test.each([
  ['a number', '1', 1],
  ['a number', '300', 300],
  ['the first scopes', ', repo, gist\tuser,', ['repo', 'gist', 'user']],
  ['scopes', 'gist', ['repo', 'gist']],
  ['a host', 'GitHub.com', 'github.com'],
  ['a host', 'https://api.github.com', 'github.com'],
  ['a host', 'api.octo.ghe.com', 'octo.ghe.com'],
  ['a host', 'api.example.com', 'api.example.com'],
  ['an address', 'HTTPS://login.example.com/a', 'HTTPS://login.example.com/a'],
  ['an address', 'http://localhost:1', 'http://localhost:1'],
  ['a name', 'a.b:80@[::1]_-', 'a.b:80@[::1]_-'],
  ['a name', 'x'.repeat(100), 'x'.repeat(100)],
] as const)('reads %s: %j', (what, text, value) => {
  expect(PARSERS[what](text)).toEqual(value)
})

const REFUSALS = {
  'a number': 'Expected a whole number from 1 to 300.',
  'a number of seconds': 'Expected a whole number of seconds from 1 to 9.',
  'a host': /^Expected a host, such as github\.com or git\.example\.com\.$/,
  'a host with http': 'such as github.com or git.example.com. Only a loopback address',
  'a host with a path': 'Expected a host without a path, such as github.com or git.example.com.',
  'an address':
    'Expected an address that starts with https:// or http://, such as https://login.example.com.',
  'a port': 'Expected a port from 0 to 65535.',
  'a name': 'Expected a name, such as work: 1 to 100 letters, digits and characters . : @ _ - [ ]',
}

test.each([
  ...['0', '301', '1.5', ' 1', '1 ', 'x', ''].map((text) => ['a number', text] as const),
  ['a number of seconds', '0'],
  ['a host', 'a b'],
  ['a host', 'http://github.com', 'a host with http'],
  ['a host', 'http://github.com/login', 'a host with http'],
  ...[
    'http://localhost:9801/login',
    'https://github.com/login/device',
    'github.com/login',
    'localhost:80//',
  ].map((text) => ['a host', text, 'a host with a path'] as const),
  ['a host', 'git.example.com:99999', 'a port'],
  ['an address', 'https://login.example.com:99999/a', 'a port'],
  ...['login.example.com', 'x https://login.example.com', 'https://'].map(
    (text) => ['an address', text] as const,
  ),
  ...['', 'a b', '$(x)', '../x', 'x'.repeat(101), ' a'].map((text) => ['a name', text] as const),
] as const)('refuses %s: %j', (what, text, expected: keyof typeof REFUSALS = what) => {
  expect(() => PARSERS[what](text)).toThrow(InvalidArgumentError)
  expect(() => PARSERS[what](text)).toThrow(REFUSALS[expected])
})
