import type { Plugin } from 'vite'

/** Builds a page, with its script and its style inlined, so that it also works when opened as a file. */
export function inOneFile(): Plugin {
  return {
    name: 'in one file',
    enforce: 'post',
    config: () => ({
      build: {
        target: 'es2023',
        modulePreload: { polyfill: false },
        rolldownOptions: { output: { codeSplitting: false } },
      },
    }),
    generateBundle(_, bundle) {
      const page = Object.values(bundle).find(({ fileName }) => fileName.endsWith('.html'))
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
