// Checks that every link in docs/site leads to an existing file and anchor: node docs/tools/check-links.js
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

const site = resolve(import.meta.dirname, '../site')
const pages = new Map(
  readdirSync(site, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.html'))
    .map((name) => [join(site, name), readFileSync(join(site, name), 'utf8')]),
)

/** The anchors of these pages are scenes that their scripts show. */
const SCENES = ['break.html', 'live.html', 'paths.html'].map((name) => join(site, name))

let links = 0
const broken = []
for (const [page, html] of pages) {
  // Links that a script writes later are not checked.
  const written = html.replaceAll(/(<script\b[^>]*>).*?<\/script>/gs, '$1')
  for (const [, address] of written.matchAll(/<[^>]* (?:href|src|srcset)="([^"\s]+)"/g)) {
    if (/^[a-z]+:/i.test(address)) continue
    links++
    if (!leads(page, address.replaceAll('&amp;', '&'))) broken.push(`${relative(site, page)}: ${address}`)
  }
}
for (const [, address = ''] of readFileSync(join(site, 'llms.txt'), 'utf8').matchAll(/\]\((.*?)\)/g)) {
  links++
  if (!leads(join(site, 'llms.txt'), address)) broken.push(`llms.txt: ${address}`)
}
process.stdout.write(`${pages.size} pages, ${links} links\n`)
for (const link of new Set(broken)) process.stderr.write(`broken link in ${link}\n`)
process.exitCode = links === 0 || broken.length > 0 ? 1 : 0

/** @param {string} page Path of the page. */
function leads(page, address) {
  const { pathname, hash } = new URL(address, `http://site/${relative(site, page)}`)
  const path = join(site, decodeURIComponent(pathname))
  const file = path.endsWith('/') ? join(path, 'index.html') : path
  // A browser would download a program.
  if (!existsSync(file) || /\.tsx?$/.test(file)) return false
  const place = decodeURIComponent(hash.slice(1))
  const html = pages.get(file)
  return place === '' || html === undefined || SCENES.includes(file) || html.includes(`id="${place}"`)
}
