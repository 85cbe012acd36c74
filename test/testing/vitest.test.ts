import { describe, expect } from 'vitest'
import { authorizeDevice } from '../../src/index.ts'
import { test } from '../../src/testing/vitest.ts'

test('a test has a sandbox', async ({ sandbox }) => {
  await sandbox.run(authorizeDevice({ ...sandbox.client, onCodes: () => sandbox.approve() }))
  expect(sandbox.requests).toHaveLength(2)
})

let address = ''

test('a test may have it listen', async ({ sandbox }) => {
  address = await sandbox.listen()
  expect((await fetch(`${address}/login/device`)).status).toBe(200)
})

test('the next test has a new one, and the one before was closed', async ({ sandbox }) => {
  expect(sandbox.requests).toEqual([])
  await expect(fetch(address)).rejects.toThrow('fetch failed')
})

describe('a group of tests', () => {
  test.override({ sandboxOptions: { expiresIn: 30 } })

  test('has its own options', async ({ sandbox }) => {
    const expired = authorizeDevice({ ...sandbox.client, onCodes: () => undefined })
    await expect(sandbox.run(expired)).rejects.toMatchObject({ code: 'expired' })
    expect(sandbox.clock.now()).toBe(Date.UTC(2026, 0, 1) + 30_000)
  })
})
