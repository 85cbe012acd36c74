import { afterAll, beforeAll, describe, vi } from 'vitest'
import { httpFetch } from '../../src/cli/http-fetch.ts'

describe('through the fetch of the command', async () => {
  beforeAll(() => {
    vi.stubGlobal('fetch', httpFetch)
  })
  afterAll(() => {
    vi.unstubAllGlobals()
  })

  // Every answer that breaks clients, and the lives of connections.
  await import('../hostile/answers.test.ts')
})
