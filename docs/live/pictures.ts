import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Plugin } from 'vite'
import { styleSheet } from '../../src/pictures/svg.ts'
import { colorVariables, ROLES } from '../../src/pictures/theme.ts'

const root = import.meta.dirname

/** The font of the site, beside each page. */
const FONT_FACE =
  "@font-face{font-family:Inter;font-weight:100 900;font-display:swap;src:url(assets/inter.woff2) format('woff2')}"

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
          `.${role}.active .shape{fill:var(--${role}-ink)}.${role}>.dot,.chip.${role}{border-color:var(--${role}-line);background:var(--${role}-fill)}.chip.${role},[data-role="${role}"]{color:var(--${role}-ink)}`,
      )
      const pictureStyle = styleSheet((color) => `var(--${color})`) + lit.join('')
      return withParts(html)
        .replace('<!-- icon -->', `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(mark)}">`)
        .replace('<!-- mark -->', mark.replace(/role="img"><title>.*?<\/title>/, 'aria-hidden="true">'))
        .replace('<!-- colors -->', `<style>${FONT_FACE}${colorVariables()}${pictureStyle}</style>`)
        .replace('<!-- key -->', key())
        .replace(/<!-- picture (\S+?)(?: as (\S+))? -->/g, (_, file, other) => picture(file, other))
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
  return `<p class="key">Colors of states: ${roles.join(' ')} An arrow from a circle can start in several states.</p>`
}

/** The compact picture of a machine, as large as it may be shown, in the frame of another one: then both have one scale. */
function picture(file: string, other = file): string {
  const [svg, frame] = [file, other].map((name) =>
    readFileSync(resolve(root, `../machines/${name}.compact.svg`), 'utf8'),
  ) as [string, string]
  const [[own = 0], [width = 0, height = 0]] = [svg, frame].map((text) =>
    [...(/viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(text) ?? [])].slice(1).map(Number),
  ) as [number[], number[]]
  return svg
    .replace(/<style>.*?<\/style>\n<rect class="paper".*?\/>\n/s, '')
    .replace(
      /viewBox=".*?" width=".*?" height=".*?"/,
      `preserveAspectRatio="xMidYMin" viewBox="${(own - width) / 2} 0 ${width} ${height}" width="${Math.round(width * LARGEST)}" height="${Math.round(height * LARGEST)}"`,
    )
}
