import { expect, test } from 'vitest'
import { withHealth } from '../../src/service/http/health.ts'
import { json, type ServiceRequest } from '../../src/service/http/types.ts'

const failing = () => {
  throw new Error('no database')
}

test.each([
  ['GET /healthz', failing, 200, 'ok'],
  ['HEAD /healthz', failing, 200, 'ok'],
  ['POST /healthz', () => true, 404, 'other'],
  ['GET /readyz', async () => true, 200, 'ready'],
  ['HEAD /readyz', () => true, 200, 'ready'],
  ['GET /readyz', () => false, 503, 'not ready'],
  ['GET /readyz', failing, 503, 'not ready'],
  ['POST /readyz', () => true, 404, 'other'],
  ['GET /', () => true, 404, 'other'],
])('%s responds, with %o, with %i %s', async (asked, isReady, status, says) => {
  const [method = '', path = ''] = asked.split(' ')
  const handle = withHealth(async () => json(404, { status: 'other' }), isReady)
  const response = await handle({ method, path } as ServiceRequest)
  expect([response.status, JSON.parse(response.body)]).toEqual([status, { status: says }])
})
