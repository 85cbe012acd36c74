import { expect, test } from 'vitest'
import { movedAdvice, textsOf } from '../../src/cli/command-texts.ts'
import { RedirectedError, RefusedError } from '../../src/errors.ts'

const REQUEST = 'GET git.example.com/api/v3/repos/o/old'
const BASE = 'https://git.example.com/api/v3'

test.each([
  ['/api/v3/repositories/123', 'The redirect leads to /repositories/123: if you trust it, run the'],
  ['/login', 'The redirect leads to /login: if you trust it, run the'],
  [undefined, ''],
])('says that the path of an API leads to %s', (path, advice) => {
  const error = new RedirectedError(REQUEST, path === undefined ? {} : { path })
  expect(movedAdvice(error, REQUEST, BASE) ?? '').toMatch(new RegExp(`^${advice}`))
  expect(movedAdvice(error, `${REQUEST}/1`, BASE)).toBeUndefined()
})

test.each([
  ['login', 'The redirect leads to /login. Check the address, or, '],
  ['mcp login', 'The redirect leads to /login. Check the URL of the MCP server.'],
  ['status', 'The redirect leads to /login.'],
])('%s says where a redirect leads, and what to check', (command, advice) => {
  const error = new RedirectedError('POST git.example.com/login/device/code', { path: '/login' })
  const given = textsOf(`authgraph ${command}`).advice(error)
  expect([given.startsWith(advice), given.includes('endpoint')]).toEqual([true, command === 'login'])
})

test('says to get a new code if the service refuses the code that was shown', () => {
  const error = new RefusedError({ status: 400, error: 'incorrect_device_code' })
  const adviceWith = (hasCodes: boolean) =>
    textsOf('authgraph login', { hasCodes: () => hasCodes }).advice(error)
  expect([true, false].map(adviceWith)).toEqual(['Run the command again to get a new code.', ''])
})
