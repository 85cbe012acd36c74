import { createService } from 'authgraph/service'
import { defineConfig, type Plugin } from 'vite'

const HOST = '127.0.0.1'

/** A service for development, on the origin of the page: responses of github.com have no CORS headers. */
function service(): Plugin {
  return {
    name: 'service',
    configureServer({ config, middlewares }) {
      const { paths, requestListener } = createService({
        authUrl: `http://${HOST}:${config.server.port}`,
        clients: [{ clientId: 'example', name: 'Example' }],
      })
      middlewares.use((request, response, next) => {
        const [path = ''] = (request.url ?? '').split('?')
        if (paths.includes(path)) requestListener(request, response)
        else next()
      })
    },
  }
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [service()],
  server: { host: HOST, port: 5180, strictPort: true, fs: { allow: ['../..'] } },
})
