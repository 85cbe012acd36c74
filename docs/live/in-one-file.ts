import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const FONT = fileURLToPath(
  import.meta.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
)

/**
 * Builds a page, with its script and its style inlined, so that it also works when opened as a file.
 *
 * @param font Whether its font is inlined too, or is the one beside it.
 */
export function inOneFile(font: 'inside' | 'beside' = 'beside'): Plugin {
  return {
    name: 'in one file',
    enforce: 'post',
    config: () => ({
      build: {
        target: 'es2023',
        modulePreload: false,
        rolldownOptions: { output: { codeSplitting: false } },
      },
    }),
    // There is no other file to load before a dynamic import.
    transform: (_, id) =>
      id.endsWith('vite/preload-helper.js') ? 'export const __vitePreload = (load) => load()' : undefined,
    generateBundle(_, bundle) {
      const page = Object.values(bundle).find(({ fileName }) => fileName.endsWith('.html'))
      if (page?.type !== 'asset') throw new TypeError('there is no page')
      // Browsers ignore the indentation.
      let html = String(page.source).replaceAll(/\n\s+/g, '\n')
      for (const file of Object.values(bundle)) {
        if (file === page) continue
        const tag = new RegExp(`[ ]*<(script|link) [^>]*"/${file.fileName}"[^>]*>(</script>)?\n`)
        const text = file.type === 'chunk' ? file.code : String(file.source)
        if (file.type === 'chunk')
          html = html.replace('</body>', () => `<script type="module">${text}</script></body>`)
        html = html.replace(tag, () => (file.type === 'chunk' ? '' : `<style>${text}</style>`))
        delete bundle[file.fileName]
      }
      const source = readFileSync(FONT)
      const inside = `data:font/woff2;base64,${source.toString('base64')}`
      page.source = font === 'inside' ? html.replace('assets/inter.woff2', inside) : html
      if (font === 'beside') this.emitFile({ type: 'asset', fileName: 'assets/inter.woff2', source })
    },
  }
}
