import { createServer, type Server } from 'node:http'
import type { Service } from 'authgraph/service'

export function nodeServer(service: Service): Server {
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    if (service.paths.includes(path))
      return service.requestListener(request, response)
    response.end('Your own page')
  })
  // Closes idle connections, for example of a client that reads no response.
  server.timeout = 40_000
  return server
}
