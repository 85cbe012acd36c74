import { expect, test, vi } from 'vitest'
import { expiringToken } from './form/expiring-token.ts'

test('the form of the guide fetches again after a failure', async () => {
  const fetchToken = vi.fn(async () => 'in-the-clear').mockRejectedValueOnce(new Error('offline'))
  const auth = expiringToken(fetchToken)
  const target = { baseUrl: 'https://api.example', fetch }
  await expect(auth.authorization(target)).rejects.toThrow('offline')
  expect((await auth.authorization(target))?.reveal()).toBe('Bearer in-the-clear')
})
