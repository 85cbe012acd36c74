import { resolve } from 'node:path'
import { defineConfig } from 'vite'
import { pictures } from './pictures.ts'

const root = import.meta.dirname
const source = resolve(root, '../../src')

export default defineConfig({
  root,
  base: './',
  plugins: [pictures()],
  resolve: {
    // The page names the package as its users do.
    alias: [
      { find: /^authgraph$/, replacement: `${source}/index.ts` },
      { find: /^authgraph\/machines$/, replacement: `${source}/machines.ts` },
      { find: /^authgraph\/service$/, replacement: `${source}/service/index.ts` },
    ],
  },
  build: {
    target: 'es2023',
    outDir: 'dist',
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      external: ['node:http', 'node:crypto'],
      // A module of Node that no page ever loads: the service imports it where it listens.
      onLog: (level, log, handle) => log.code !== 'UNRESOLVED_IMPORT' && handle(level, log),
    },
  },
})
