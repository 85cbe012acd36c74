import { defineConfig } from 'vite'
import { aliasesTo } from '../../build/entries.js'
import { inOneFile } from './in-one-file.ts'
import { pictures } from './pictures.ts'

const root = import.meta.dirname

export default defineConfig({
  root,
  plugins: [pictures(), inOneFile()],
  resolve: {
    // The page imports the package by name, like a user.
    alias: aliasesTo('source'),
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
