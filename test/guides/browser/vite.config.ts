import { defineConfig } from 'vite'

export default defineConfig({
  server: {
    proxy: {
      '^/login/(device/code|oauth/access_token)$': {
        target: 'https://github.com',
        changeOrigin: true,
        configure: (proxy) =>
          proxy.on('proxyReq', (request) => request.removeHeader('cookie')),
      },
    },
  },
})
