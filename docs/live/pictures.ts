import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Plugin } from 'vite'
import { styleSheet } from '../tools/svg.ts'
import { DARK, LIGHT } from '../tools/theme.ts'

const root = import.meta.dirname

/** Inserts the shared parts of the pages and the pictures of the machines, which use the style of the page. */
export function pictures(): Plugin {
  return {
    name: 'pictures',
    transformIndexHtml(html) {
      const colors = `:root{${variables(LIGHT)}}@media (prefers-color-scheme:dark){:root{${variables(DARK)}}}`
      return html
        .replace('<!-- colors -->', `<style>${colors}${styleSheet((color) => `var(--${color})`)}</style>`)
        .replace(/<!-- part (\S+) -->/g, (_, name) =>
          readFileSync(resolve(root, `parts/${name}.html`), 'utf8'),
        )
        .replace(/<!-- picture (\S+) -->/g, (_, file) => picture(file))
    },
  }
}

function variables(theme: Readonly<Record<string, string>>): string {
  return Object.entries(theme)
    .map(([name, color]) => `--${name}:${color}`)
    .join(';')
}

/** The picture from the documentation. */
function picture(file: string): string {
  const svg = readFileSync(resolve(root, `../machines/${file}.svg`), 'utf8')
  return svg.replace(/<style>.*?<\/style>\n/s, '')
}
