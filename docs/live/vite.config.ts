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
    rolldownOptions: {
      // The service imports modules of Node to listen, and jose for keys and proofs: this page does neither.
      external: /^(?:node:|jose\/)/,
    },
  },
})
