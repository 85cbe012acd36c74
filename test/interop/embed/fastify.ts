import type { Service } from 'authgraph/service'
import fastify, { type FastifyInstance } from 'fastify'

export function fastifyApp(service: Service): FastifyInstance {
  const app = fastify()
  // Before Fastify parses the body, which the service reads itself.
  app.addHook('onRequest', async ({ raw, url }, reply) => {
    if (!service.paths.includes(url.split('?')[0] ?? '')) return
    reply.hijack()
    await service.requestListener(raw, reply.raw)
  })
  app.get('/', async () => 'Your own page')
  return app
}
