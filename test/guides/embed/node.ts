import { createServer, type Server } from 'node:http'
import type { Service } from 'authgraph/service'

export function nodeServer(service: Service): Server {
  return createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    if (service.paths.includes(path)) return service.requestListener(request, response)
    response.end('Your own page')
  })
}
