// @ts-check
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { KEYWORDS } from './search-keywords.js'

/** A heading with an anchor. */
const HEADING = /<h([1-4])\b[^>]*\bid="([^"]+)"[^>]*>(.*?)<\/h\1>/gs

/** Tags that part words. */
const BLOCK = /<\/?(?:p|li|ul|ol|tr|h\d|div|br|pre|section|dd|code class="(?!short))\b[^>]*>/g

/** Tags between short texts that belong together. */
const CELL =
  /<\/(?:td|th|dt)>|<\/(?:code|span)><\/div>|<small\b[^>]*>|<span class="(?:default|required)\b[^>]*>/g

/** What is not text, or is the text of other pages. */
const ASIDE =
  /<svg.*?<\/svg>|<span class="bar">.*?<\/span>|<span aria-hidden="true">–<\/span><span class="spoken">none<\/span>|<button.*?<\/button>|<details class="contents".*?<\/details>|<section class="tsd-panel-group tsd-index-group".*?<\/details><\/section><\/section>|<dl class="tsd-member-summaries".*?<\/dl>|<section class="tsd-panel tsd-hierarchy".*?<\/section>|<a [^>]*tsd-anchor-icon.*?<\/a>/gs

/** Code is searched, and shown if only it has the words. */
const CODE = /<pre>.*?<\/pre>|<div class="tsd-signature.*?<\/div>/gs

/** @type {Record<string, string>} */
const CHARACTERS = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' }

/** The sections of all pages, for the search in the browser. */
export class SearchIndex {
  /** @type {unknown[]} */
  #pages = []
  /** Those that no section has had. */
  #keywords = new Map(Object.entries(KEYWORDS))

  /**
   * @param {{ url: string, group: string, title: string, about: string }} page What it is about stands beside its title.
   * @param {string} content
   */
  add(page, content) {
    let [begin = '', ...parts] = content.replaceAll(ASIDE, '').split(HEADING)
    const sections = []
    for (let at = 0; at < parts.length; at += 4) {
      const [level, anchor = '', heading = '', text = ''] = parts.slice(at, at + 4)
      // The title is that of the page.
      if (level === '1') begin += text
      else sections.push(this.#section(page.title, anchor, textOf(heading), text))
    }
    const filled = sections.filter(([, , text, code]) => text || code)
    this.#pages.push({ ...page, sections: [this.#section(page.title, '', '', begin), ...filled] })
  }

  /** @param {string} title @param {string} anchor @param {string} heading @param {string} html */
  #section(title, anchor, heading, html) {
    const name = heading ? `${title} › ${heading}` : title
    const keywords = this.#keywords.get(name)
    this.#keywords.delete(name)
    const code = html.match(CODE) ?? []
    return [anchor, heading, textOf(html.replaceAll(CODE, ' ')), textOf(code.join(' ')), keywords]
  }

  /** Writes the script of the search, with all sections in it. @param {string} directory */
  write(directory) {
    if (this.#keywords.size > 0)
      throw new Error(`keywords of sections that do not exist: ${[...this.#keywords.keys()].join(', ')}`)
    buildSync({
      entryPoints: [join(import.meta.dirname, 'search.js')],
      outfile: join(directory, 'assets/search.js'),
      bundle: true,
      minify: true,
      charset: 'utf8',
      globalName: 'siteSearch',
      define: { PAGES: JSON.stringify(this.#pages) },
    })
  }
}

/** @param {string} html */
function textOf(html) {
  return html
    .replaceAll(CELL, ' · ')
    .replaceAll(BLOCK, ' ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => CHARACTERS[entity])
    .replaceAll(/(?:\s|·(?=\s*(?:·|$)))+/g, ' ')
    .trim()
}
