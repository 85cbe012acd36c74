import { expect, onTestFinished, test, vi } from 'vitest'
import { redisStore } from '../../../src/service/stores/redis.ts'

test('refuses the package "redis" before version 5, whose clients have no close()', async () => {
  vi.doMock('redis', () => ({
    createClient: () => ({ on: () => undefined, connect: async () => undefined }),
  }))
  onTestFinished(() => void vi.doUnmock('redis'))
  const store = redisStore('redis://127.0.0.1:1')
  await expect(store.ping()).rejects.toMatchObject({
    code: 'bad_option',
    message: expect.stringContaining('version 5 or later'),
  })
  await store.close()
})
