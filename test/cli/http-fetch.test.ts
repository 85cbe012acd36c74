import { afterAll, beforeAll, describe, vi } from 'vitest'
import { httpFetch } from '../../src/cli/http-fetch.ts'
import { answersContract } from '../hostile/answers-contract.ts'

describe('through the fetch of the command', () => {
  beforeAll(() => {
    vi.stubGlobal('fetch', httpFetch)
  })
  afterAll(() => {
    vi.unstubAllGlobals()
  })

  answersContract()
})
