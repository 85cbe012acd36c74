import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { defineConfig, type Plugin } from 'vite'
import { styleSheet } from '../tools/svg.ts'
import { DARK, LIGHT } from '../tools/theme.ts'

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

/** Puts the pictures of the machines into the page, whose own style colours them. */
function pictures(): Plugin {
  return {
    name: 'pictures',
    transformIndexHtml(html) {
      const colors = `:root{${variables(LIGHT)}}@media (prefers-color-scheme:dark){:root{${variables(DARK)}}}`
      return html
        .replace('<!-- colors -->', `<style>${colors}${styleSheet((color) => `var(--${color})`)}</style>`)
        .replace(/<!-- picture (\S+) -->/g, (_, file) => picture(file))
    },
  }
}

function variables(theme: Readonly<Record<string, string>>): string {
  return Object.entries(theme)
    .map(([name, color]) => `--${name}:${color}`)
    .join(';')
}

/** The picture as it was drawn for the documentation. */
function picture(file: string): string {
  const svg = readFileSync(resolve(root, `../machines/${file}.svg`), 'utf8')
  return svg.replace(/<style>.*?<\/style>\n/s, '')
}
