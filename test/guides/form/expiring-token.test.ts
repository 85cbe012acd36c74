import { expect, test, vi } from 'vitest'
import { formContract } from '../../support/form-contract.ts'
import { expiringToken } from './expiring-token.ts'

formContract(
  'expiringToken',
  () => expiringToken(async () => 'in-the-clear'),
  /^Bearer in-the-clear$/,
  ['in-the-clear'],
)

test('fetches again after a failure', async () => {
  const fetchToken = vi
    .fn(async () => 'in-the-clear')
    .mockRejectedValueOnce(new Error('offline'))
  const auth = expiringToken(fetchToken)
  const target = { baseUrl: 'https://api.example', fetch }
  await expect(auth.authorization(target)).rejects.toThrow('offline')
  expect((await auth.authorization(target))?.reveal()).toBe(
    'Bearer in-the-clear',
  )
})
