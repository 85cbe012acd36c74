import { expect, test } from 'vitest'
import { withHealth } from '../../src/service/http/health.ts'
import { json, type ServiceRequest } from '../../src/service/http/types.ts'

const failing = () => {
  throw new Error('no database')
}

test.each([
  {
    name: 'alive, whatever the store says',
    asked: 'GET /healthz',
    isReady: failing,
    status: 200,
    says: 'ok',
  },
  { name: 'alive for HEAD', asked: 'HEAD /healthz', isReady: failing, status: 200, says: 'ok' },
  { name: 'ready', asked: 'GET /readyz', isReady: async () => true, status: 200, says: 'ready' },
  { name: 'ready for HEAD', asked: 'HEAD /readyz', isReady: () => true, status: 200, says: 'ready' },
  { name: 'not ready', asked: 'GET /readyz', isReady: () => false, status: 503, says: 'not ready' },
  {
    name: 'not ready if that throws',
    asked: 'GET /readyz',
    isReady: failing,
    status: 503,
    says: 'not ready',
  },
  { name: 'no probe by POST', asked: 'POST /readyz', isReady: () => true, status: 404, says: 'other' },
  {
    name: 'no liveness probe by POST',
    asked: 'POST /healthz',
    isReady: () => true,
    status: 404,
    says: 'other',
  },
  { name: 'no probe elsewhere', asked: 'GET /', isReady: () => true, status: 404, says: 'other' },
])('$asked is $name', async ({ asked, isReady, status, says }) => {
  const [method = '', path = ''] = asked.split(' ')
  const handle = withHealth(async () => json(404, { status: 'other' }), isReady)
  const response = await handle({ method, path } as ServiceRequest)
  expect([response.status, JSON.parse(response.body)]).toEqual([status, { status: says }])
})
