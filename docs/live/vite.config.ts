import { resolve } from 'node:path'
import { defineConfig } from 'vite'
import { inOneFile } from './in-one-file.ts'
import { pictures } from './pictures.ts'

const root = import.meta.dirname
const source = resolve(root, '../../src')

export default defineConfig({
  root,
  plugins: [pictures(), inOneFile()],
  resolve: {
    // The page imports the package by name, like a user.
    alias: [
      { find: /^authgraph$/, replacement: `${source}/index.ts` },
      { find: /^authgraph\/machines$/, replacement: `${source}/machines.ts` },
      { find: /^authgraph\/session$/, replacement: `${source}/session/index.ts` },
      { find: /^authgraph\/service$/, replacement: `${source}/service/index.ts` },
    ],
  },
  build: {
    target: 'es2023',
    outDir: 'dist',
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // The service imports modules of Node only to listen, which this page never does.
      external: /^node:/,
    },
  },
})
