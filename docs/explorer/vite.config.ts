import { defineConfig, type Plugin } from 'vite'
import { inOneFile } from '../live/in-one-file.ts'
import { pictures } from '../live/pictures.ts'
import { graphs } from './graphs.ts'
import { pack } from './pack.ts'

const root = import.meta.dirname

/** Inserts the paths, which take some seconds to generate. */
function paths(): Plugin {
  return {
    name: 'paths',
    transformIndexHtml(html) {
      const data = JSON.stringify(graphs().map(pack)).replaceAll('<', '\\u003c')
      return html.replace(
        '<!-- paths -->',
        () => `<script type="application/json" id="data">${data}</script>`,
      )
    },
  }
}

export default defineConfig({
  root,
  plugins: [pictures(), paths(), inOneFile()],
  build: { rolldownOptions: { checks: { pluginTimings: false } } },
})
