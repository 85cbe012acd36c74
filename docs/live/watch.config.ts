import { resolve } from 'node:path'
import { defineConfig, type Plugin } from 'vite'
import { pictures } from './pictures.ts'

const root = import.meta.dirname
const source = resolve(root, '../../src')

/** The page that the command serves. It is one file, beside the command. */
export default defineConfig({
  root,
  plugins: [pictures(), inOneFile()],
  resolve: { alias: [{ find: /^authgraph\/machines$/, replacement: `${source}/machines.ts` }] },
  build: {
    target: 'es2023',
    outDir: resolve(root, '../../dist/src/cli'),
    emptyOutDir: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { input: resolve(root, 'watch.html') },
  },
})

/** Puts the script and the style into the page, in place of the tags that load them. */
function inOneFile(): Plugin {
  return {
    name: 'in one file',
    enforce: 'post',
    generateBundle(_, bundle) {
      const page = bundle['watch.html']
      if (page?.type !== 'asset') throw new TypeError('there is no page')
      let html = String(page.source)
      for (const file of Object.values(bundle)) {
        if (file === page) continue
        const tag = new RegExp(`[ ]*<(script|link) [^>]*"/${file.fileName}"[^>]*>(</script>)?\n`)
        const text = file.type === 'chunk' ? file.code : String(file.source)
        if (file.type === 'chunk')
          html = html.replace('</body>', () => `<script type="module">${text}</script></body>`)
        html = html.replace(tag, () => (file.type === 'chunk' ? '' : `<style>${text}</style>`))
        delete bundle[file.fileName]
      }
      page.source = html
    },
  }
}
