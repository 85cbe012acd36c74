import type { Service } from 'authgraph/service'
import express, { type Express } from 'express'

export function expressApp(service: Service): Express {
  const app = express()
  app.all([...service.paths], service.requestListener)
  app.use(express.urlencoded())
  app.get('/', (_request, response) => {
    response.send('Your own page')
  })
  return app
}
