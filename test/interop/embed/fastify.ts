import type { Service } from 'authgraph/service'
import fastify, { type FastifyInstance } from 'fastify'

export function fastifyApp(service: Service): FastifyInstance {
  const app = fastify()
  app.register(async (scope) => {
    // The service reads the bodies itself.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    for (const path of service.paths)
      scope.all(path, (request, response) => {
        response.hijack()
        return service.requestListener(request.raw, response.raw)
      })
  })
  app.get('/', async () => 'Your own page')
  return app
}
