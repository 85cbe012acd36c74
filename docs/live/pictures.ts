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
        .replace('<!-- mark -->', mark.replace(/role="img"><title>.*?<\/title>/, 'aria-hidden="true">'))
        .replace(
          '<!-- head -->',
          `<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(mark)}">
<style>${FONT_FACE}${colorVariables()}${pictureStyle}</style>`,
        )
        .replace('<!-- key -->', key())
        .replaceAll('<!-- ring session -->', sessionRing)
        .replace(/<!-- picture (\S+) -->/g, (_, file) => picture(file))
    },
  }
}

/** Inserts parts: `<!-- part ring ID="life" -->` is the file of this name with `life` for each `{ID}`. */
function withParts(html: string): string {
  return html.replace(/<!-- part (\S+)(.*?) -->/g, (_, name, given) => {
    const values = new Map([...given.matchAll(/(\w+)="(.*?)"/g)].map(([, key, value]) => [key, value]))
    const part = readFileSync(resolve(root, `parts/${name}.html`), 'utf8')
    return withParts(part)
      .replace(/\{(\w+)\}/g, (_, key) => values.get(key) ?? '')
      .replace(`href="${values.get('page')}.html"`, '$& aria-current="page"')
  })
}

/** What the colours and signs of the pictures mean. */
function key(): string {
  const roles = Object.entries(ROLES).map(([role, means]) => `<span class="chip ${role}">${means}</span>`)
  return `<p class="key">Colors of states: ${roles.join(' ')} An arrow from a circle can start in several states.</p>`
}

/** The states through which a session goes when its token expires, clockwise from the top. */
const RING = ['signedIn', 'claiming', 'waiting', 'refreshing', 'settling']

/** The session as a ring of these states. Another one that is active is shown in the middle. */
function sessionRing(): string {
  const svg = readFileSync(resolve(root, '../machines/session.compact.svg'), 'utf8')
  const states = [...svg.matchAll(/class="state (\w+).*?" data-state="(\w+)"/g)].map(([, role, id = '']) => {
    const angle = (2 * Math.PI * RING.indexOf(id)) / RING.length
    const [x, y] = RING.includes(id) ? [140 + 92 * Math.sin(angle), 74 - 56 * Math.cos(angle)] : [140, 74]
    const aside = RING.includes(id) ? '' : ' aside'
    return `<g class="state ${role}${aside}" data-state="${id}" transform="translate(${x.toFixed(1)} ${y.toFixed(1)})"><rect class="shape" x="-43" y="-14" width="86" height="28" rx="8"/><text class="trigger" text-anchor="middle" dy=".35em">${id}</text></g>`
  })
  return `<svg viewBox="0 0 280 140" width="448" height="224" class="cycle" role="img"><title>The states of a session while it refreshes its token: ${RING.join(', ')}</title><ellipse class="way" cx="140" cy="74" rx="92" ry="56"/>${states.join('')}</svg>`
}

/** The compact picture of a machine, as large as it may be shown. */
function picture(file: string): string {
  return readFileSync(resolve(root, `../machines/${file}.compact.svg`), 'utf8')
    .replace(/<style>.*?<\/style>\n<rect class="paper".*?\/>\n/s, '')
    .replace(/viewBox="0 0 ([\d.]+) ([\d.]+)" width=".*?" height=".*?"/, (_, width, height) => {
      const [wide, high] = [width, height].map((pixels) => Math.round(pixels * LARGEST))
      return `viewBox="0 0 ${width} ${height}" width="${wide}" height="${high}"`
    })
}
