import { getConnInfo } from '@hono/node-server/conninfo'
import type { Service } from 'authgraph/service'
import { Hono } from 'hono'

export function honoApp(service: Service): Hono {
  const app = new Hono()
  app.on(['GET', 'POST', 'DELETE'], [...service.paths], (context) =>
    service.fetch(context.req.raw, {
      address: getConnInfo(context).remote.address,
    }),
  )
  app.get('/', (context) => context.text('Your own page'))
  return app
}
