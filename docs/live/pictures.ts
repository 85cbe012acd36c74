import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Plugin } from 'vite'
import { escapeXml, styleSheet } from '../../src/pictures/svg.ts'
import { colorVariables, ROLES } from '../../src/pictures/theme.ts'

const root = import.meta.dirname

/** How much larger than drawn a picture may be shown. */
const LARGEST = 1.6

/** Inserts the shared parts of the pages and the pictures of the machines, which use the style of the page. */
export function pictures(): Plugin {
  return {
    name: 'pictures',
    transformIndexHtml(html) {
      const mark = readFileSync(resolve(root, '../images/mark.svg'), 'utf8').trim()
      const lit = Object.keys(ROLES).map(
        (role) =>
          `.${role}.active .shape{fill:var(--${role}-ink)}.${role}>.dot,.chip.${role}{border-color:var(--${role}-line);background:var(--${role}-fill)}.chip.${role}{color:var(--${role}-ink)}`,
      )
      const pictureStyle = styleSheet((color) => `var(--${color})`) + lit.join('')
      return withParts(html)
        .replace('<!-- icon -->', `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(mark)}">`)
        .replace('<!-- mark -->', mark.replace(/role="img"><title>.*?<\/title>/, 'aria-hidden="true">'))
        .replace('<!-- colors -->', `<style>${colorVariables()}${pictureStyle}</style>`)
        .replace('<!-- key -->', key())
        .replace(/<!-- code (\S+) -->/g, (_, file) => escapeXml(firstCode(file)))
        .replace(/<!-- picture (\S+) -->/g, (_, file) => picture(file))
    },
  }
}

/** Inserts parts: `<!-- part ring id="life" -->` is the file of this name with `life` for each `{id}`. */
function withParts(html: string): string {
  return html.replace(/<!-- part (\S+)(.*?) -->/g, (_, name, given) => {
    const values = new Map([...given.matchAll(/(\w+)="(.*?)"/g)].map(([, key, value]) => [key, value]))
    const part = readFileSync(resolve(root, `parts/${name}.html`), 'utf8')
    return withParts(part).replace(/\{(\w+)\}/g, (_, key) => values.get(key) ?? '')
  })
}

/** What the colours and signs of the pictures mean. */
function key(): string {
  const roles = Object.entries(ROLES).map(([role, means]) => `<span class="chip ${role}">${means}</span>`)
  return `<p class="key">Colors of states: ${roles.join(' ')} An arrow from a circle leaves several states.</p>`
}

/** The compact picture of a machine, as large as it may be shown. */
function picture(file: string): string {
  const svg = readFileSync(resolve(root, `../machines/${file}.compact.svg`), 'utf8')
  const larger = (_: string, side: string, pixels: string) =>
    `${side}="${Math.round(Number(pixels) * LARGEST)}"`
  return svg
    .replace(/<style>.*?<\/style>\n/s, '')
    .replace(/(?<=^<svg [^>]*)(width|height)="([\d.]+)"/g, larger)
}

/** The first program of a document. */
function firstCode(file: string): string {
  return /```ts\n(.*?)\n```/s.exec(readFileSync(resolve(root, '../..', file), 'utf8'))?.[1] ?? ''
}
