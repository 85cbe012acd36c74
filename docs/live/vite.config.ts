import { resolve } from 'node:path'
import { defineConfig, type Plugin } from 'vite'
import { drawParts } from '../tools/draw-machine.ts'
import type { Layout } from '../tools/lay-out.ts'
import { layouts } from '../tools/make-diagrams.ts'
import { element, round, styleSheet } from '../tools/svg.ts'
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

/** Draws the machines into the page while it is built: the browser has nothing to lay out. */
function pictures(): Plugin {
  let drawn: Promise<ReadonlyMap<string, Layout>> | undefined
  return {
    name: 'pictures',
    async transformIndexHtml(html) {
      drawn ??= layouts()
      const laidOut = await drawn
      const colors = `:root{${variables(LIGHT)}}@media (prefers-color-scheme:dark){:root{${variables(DARK)}}}`
      return html
        .replace('<!-- colors -->', `<style>${colors}${styleSheet((color) => `var(--${color})`)}</style>`)
        .replace(/<!-- picture (\S+) -->/g, (_, file) => svgOf(laidOut.get(file) as Layout))
    },
  }
}

function variables(theme: Readonly<Record<string, string>>): string {
  return Object.entries(theme)
    .map(([name, color]) => `--${name}:${color}`)
    .join(';')
}

function svgOf(layout: Layout): string {
  const { width, height, plan } = layout
  const attributes = {
    viewBox: `0 0 ${round(width)} ${round(height)}`,
    width,
    height,
    role: 'img',
    'aria-label': `The machine ${plan.machine.id}. ${plan.machine.description} What it does is in the log.`,
  }
  return element('svg', attributes, drawParts(layout))
}
