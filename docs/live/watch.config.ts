import { resolve } from 'node:path'
import { defineConfig } from 'vite'
import { inOneFile } from './in-one-file.ts'
import { pictures } from './pictures.ts'

const root = import.meta.dirname
const source = resolve(root, '../../src')

/** Builds the page that the command serves, as one file next to the command. */
export default defineConfig({
  root,
  plugins: [pictures(), inOneFile('inside')],
  resolve: { alias: [{ find: /^authgraph\/machines$/, replacement: `${source}/machines.ts` }] },
  build: {
    outDir: resolve(root, '../../dist/src/cli'),
    emptyOutDir: false,
    reportCompressedSize: false,
    rolldownOptions: { input: resolve(root, 'watch.html') },
  },
})
