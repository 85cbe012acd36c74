// @ts-check
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Application, DefaultTheme, JSX, ReflectionKind, RendererEvent } from 'typedoc'
import { runnerImport } from 'vite'
import { withBars } from './code-blocks.js'
import { escapeHtml } from './escape-html.js'
import { headingsOf, propertiesAsOptions, readFirst } from './function-page.js'
import { groupOptions } from './group-options.js'
import { SearchIndex } from './search-index.js'
import { fileOf, guideParts, SECTIONS, sectionOf } from './site-sections.js'
import { stackTables } from './stack-tables.js'

const docs = resolve(import.meta.dirname, '..')

/** Pages that TypeDoc does not make: the file in the site, its text in the sidebar, and the built page. */
const PAGES = [
  { url: 'live.html', text: 'Watch a login live', built: 'live/dist/index.html' },
  { url: 'break.html', text: 'Break a login', built: 'break/dist/index.html' },
  { url: 'paths.html', text: 'Explore every path', built: 'explorer/dist/index.html' },
]

/** Reads the fault in the address, such as `#break=503`, into the frame that breaks a login. */
const PASS_FAULT =
  "<script>{const f=document.querySelector('.race iframe'),s=()=>location.hash.startsWith('#break')&&f.contentWindow.location.replace(f.src.split('#')[0]+location.hash);f.addEventListener('load',s,{once:true});addEventListener('hashchange',s)}</script>"

/** Pages that the search offers until it finds something. */
const OFTEN = ['Quick start', 'Log in from a CLI', 'Keep and refresh a token', 'Errors', 'Command line']

/** Pages with a layout of their own. @type {Record<string, string>} */
const CLASSES = {
  'index.html': 'landing',
  'documents/Guides.html': 'overview',
  'documents/Errors.html': 'errors',
  'documents/Evidence.html': 'evidence',
  'documents/Security.html': 'security',
  'documents/Threat_model.html': 'threats',
}

/** What the list of the properties of an interface of options says again. */
const OUTLINE =
  /<section class="tsd-panel-group tsd-index-group">.*?<\/details><\/section><\/section>|<span class="tsd-signature-keyword">readonly<\/span>\s*|<div class="tsd-signature"><span class="tsd-signature-keyword">interface.*?<\/div>\s*(?:<section class="tsd-panel tsd-hierarchy".*?<\/section>)?/gs

/** The parameter of a function type, on its own line. */
const ONE_PARAMETER =
  /(<span class="tsd-signature-symbol">\(<\/span>)<br\/>\s*((?:(?!<br\/>).)*)<span class="tsd-signature-symbol">,<\/span><br\/>\s*(<span class="tsd-signature-symbol">\)<\/span>)/gs

/** The main links and the icons of the search and of the menu, as on the other pages. */
const [LINKS = '', SEARCH, MENU] =
  readFileSync(join(docs, 'live/parts/site-links.html'), 'utf8').match(
    /(?<=<nav[^>]*>).*(?=<\/nav>)|<svg.*?<\/svg>/g,
  ) ?? []

/** The picture of the site where others link to it. */
const CARD = 'https://raw.githubusercontent.com/authgraph/authgraph/main/docs/images/card-light.png'

const { version, license } = JSON.parse(readFileSync(resolve(docs, '../package.json'), 'utf8'))

/** @typedef {import('typedoc').DefaultThemeRenderContext} Context */
/** @typedef {import('typedoc').PageEvent<import('typedoc').Reflection>} Page */

/**
 * A theme with the sections, colors and mark of this project. `index.html` is the landing page, the others are pages of
 * documentation.
 *
 * @param {import('typedoc').Application} app
 */
export async function load(app) {
  const { module: theme } = await runnerImport(join(docs, '../src/pictures/theme.ts'))
  highlightCompletely(app.renderer.markedPlugin)
  app.renderer.defineTheme('authgraph', SiteTheme)
  app.on(Application.EVENT_BOOTSTRAP_END, () => app.options.setValue('theme', 'authgraph'))
  app.renderer.on(RendererEvent.END, ({ outputDirectory }) => {
    const styles = ['live/head.css', 'tools/site.css'].map((file) => readFileSync(join(docs, file), 'utf8'))
    writeFileSync(join(outputDirectory, 'assets/custom.css'), [theme.colorVariables(), ...styles].join('\n'))
    for (const picture of ['mark', 'login', 'login.narrow'])
      cpSync(join(docs, `images/${picture}.svg`), join(outputDirectory, `assets/${picture}.svg`))
    cpSync(join(docs, 'live/dist/assets/inter.woff2'), join(outputDirectory, 'assets/inter.woff2'))
    cpSync(join(docs, 'tools/site.js'), join(outputDirectory, 'assets/site.js'))
    for (const { url, text, built } of PAGES) {
      const [about] =
        readFileSync(join(docs, built), 'utf8').match(/(?<=name="description" content=").*?(?=")/) ?? []
      indexed.add({ url, group: 'See it run', title: text, about: '' }, about ?? '')
    }
    // In place of that of TypeDoc, whose results are pages without a reason.
    indexed.write(outputDirectory)
    for (const { url, built } of PAGES) cpSync(join(docs, built), join(outputDirectory, url))
  })
}

const indexed = new SearchIndex()

class SiteTheme extends DefaultTheme {
  /** @override @param {Page} page */
  getRenderContext(page) {
    const context = super.getRenderContext(page)
    context.navigation = () => raw(navigation(context, page))
    context.toolbar = () => raw(toolbar(context, page))
    // From where a member is inherited is of no use to a reader.
    context.memberSources = () => raw('')
    context.defaultLayout = (template, page) => {
      let content = stackTables(withBars(breakable(accessible(text(template(page))))))
      if (page.url === 'modules.html') {
        page.pageSections = []
        return raw(layout(context, page, entryPoints(content)))
      }
      if (CLASSES[page.url] === 'threats') content = withSources(content)
      // The title of a document is above it already.
      if (page.model.isDocument())
        page.pageSections = page.pageSections.map((section) => ({
          ...section,
          headings: section.headings.filter(({ level }) => level !== 1),
        }))
      const ordered = page.model.kindOf(ReflectionKind.Function)
        ? readFirst(content)
        : page.model.name.endsWith('Options') &&
          propertiesAsOptions(groupOptions(content.replaceAll(OUTLINE, '')))
      if (ordered) page.pageSections = [{ title: '', headings: headingsOf(ordered) }]
      if (!['landing', 'overview'].includes(CLASSES[page.url])) indexed.add(pageOf(page), ordered || content)
      return raw(layout(context, page, ordered || content))
    }
    return context
  }
}

/** A page for the search, with its kind and module. @param {Page} page */
function pageOf({ project, model, url }) {
  if (model.isDocument()) return { url, group: sectionOf(project, model), title: model.name, about: '' }
  const kind = ReflectionKind.singularString(model.kind)
  const about = model.parent === project ? kind : `${kind} · ${model.parent?.name}`
  return { url, group: 'API', title: model.name, about }
}

/** @param {Context} context @param {Page} page @param {string} content */
function layout(context, page, content) {
  const at = (/** @type {string} */ path) => context.relativeURL(path)
  const isLanding = page.url === 'index.html'
  const title = isLanding
    ? 'Authgraph: a failed poll is not a failed login'
    : `${page.model.name} | Authgraph`
  const menu = text(context.pageNavigation(page)).replace('On This Page', 'On this page')
  return `<html lang="en" data-base="${at('./')}" data-theme="os">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<meta name="description" content="OAuth device login as a state machine: run it, watch it, draw it, test every path of it.">
<meta name="viewport" content="width=device-width, initial-scale=1">
${isLanding ? `<meta property="og:title" content="${escapeHtml(title)}">\n<meta property="og:image" content="${CARD}">\n<meta name="twitter:card" content="summary_large_image">` : ''}
<link rel="icon" href="${at('assets/mark.svg')}">
<link rel="preload" href="${at('assets/inter.woff2')}" as="font" type="font/woff2" crossorigin>
${['style', 'highlight', 'custom'].map((name) => `<link rel="stylesheet" href="${at(`assets/${name}.css`)}">`).join('\n')}
<script defer src="${at('assets/main.js')}"></script>
<script async src="${at('assets/icons.js')}" id="tsd-icons-script"></script>
<script type="application/json" id="tsd-search-script"></script>
</head>
<body class="${CLASSES[page.url] ?? ''}">
<a class="skip" href="#content">Skip to content</a>
${text(context.toolbar(page))}
<div class="container container-main">
<main class="col-content" id="content" tabindex="-1">
${isLanding ? landing(content) : withContents((page.url === 'modules.html' ? '' : heading(text(context.header(page)))) + content, page, menu) + onward(context, page)}
</main>
<div class="col-sidebar">
<aside class="page-menu" aria-label="On this page">${menu}</aside>
<div class="site-menu"><nav class="site" aria-label="Main">${mainLinks(context, page)}</nav>${text(context.sidebar(page))}</div>
</div>
</div>
<footer class="site">${mainLinks(context)}<span>Version ${version}, ${license} License</span></footer>
<div class="overlay"></div>
<script src="${at('assets/site.js')}"></script>
</body>
</html>`
}

/**
 * The highlighter gives up on a line after half a second, and its first lines take longer on a busy machine. It is faster
 * when it sees them again.
 *
 * @param {import('typedoc').Renderer['markedPlugin']} plugin
 */
function highlightCompletely(plugin) {
  const highlight = plugin.getHighlighted.bind(plugin)
  plugin.getHighlighted = (code, language) => {
    for (let tries = 1; ; tries++) {
      const began = performance.now()
      const html = highlight(code, language)
      if (performance.now() - began < 500 || tries === 5) return html
    }
  }
}

/**
 * Leaves no link inside the summary of a section, no gap between the levels of headings, no flags that the signature below
 * shows, and no single parameter on its own line.
 *
 * @param {string} content
 */
function accessible(content) {
  const summaries = content
    .replaceAll(/<summary\b.*?<\/summary>/gs, (summary) => summary.replaceAll(/<a\b.*?<\/a>/gs, ''))
    .replaceAll(/<code class="tsd-tag">(Optional|Readonly)<\/code>\s*/g, '')
    .replaceAll(ONE_PARAMETER, '$1$2$3')
  return /<h[23]\b/.test(summaries) ? summaries : summaries.replaceAll(/(<\/?h)4\b/g, '$12')
}

/**
 * Lets long code in tables break after "(", "," and ":", or a long path between its words, and no figure from its unit.
 *
 * @param {string} content
 */
function breakable(content) {
  const figures = content.replaceAll(
    /<(pre|code)\b.*?<\/\1>|(?<=\d) (?=(?:s|ms|[kKMG]i?B|%)(?![\w-]))/gs,
    (found) => (found === ' ' ? '\u00a0' : found),
  )
  return figures.replaceAll(/(?<=<td[^>]*>.*<code>)[^<]*(?=<\/code>.*<\/td>)/g, (code) => {
    if (!/[({]/.test(code))
      return code.length < 18 || code.includes(' ') ? code : code.replaceAll(/(?<=\w[._/])(?=\w)/g, '<wbr>')
    const parts = code.split(code.includes('(') ? /(?<=\((?!\))|, )/ : /(?<=[,:] )/)
    return parts.map((part) => `<span>${part}</span>`).join('<wbr>')
  })
}

/** Sets the entry point and the kind of an export above its name. @param {string} header */
function heading(header) {
  return header.replace(
    /<ul class="tsd-breadcrumb".*?<li>(.*?)<\/li>.*?<h1>(Function|Interface|Type Alias|Class|Variable|Module) /s,
    (_, entry, kind) =>
      `<p class="kind">${kind === 'Module' ? 'Entry point' : `${entry} / ${kind}`}</p><h1 class="name">`,
  )
}

/** Sets the RFCs of a threat below its name, which ends without a full stop. @param {string} content */
function withSources(content) {
  return content.replaceAll(
    /(<li>\s*(?:<p>)?<strong>[^<]*?)\.?<\/strong>(?:\s\(([\d.,\s;]+)\)\.?)?/g,
    (_, name, rfcs) => `${name}${rfcs ? `<small>RFC ${rfcs}</small>` : ''}</strong>`,
  )
}

/** TypeDoc lists the documents on this page too. @param {string} content */
function entryPoints(content) {
  const [, list] = /data-key="section-API".*?(<dl.*?<\/dl>)/s.exec(content) ?? []
  return `<h1>API</h1><p>The entry points of the package.</p>${list}`
}

/** The documents before and after this one. @param {Context} context @param {Page} page */
function onward(context, page) {
  const { project, model } = page
  if (!model.isDocument()) return ''
  const section = sectionFor(page)
  const members = (project.documents ?? []).filter((one) => sectionFor({ project, model: one }) === section)
  const files = guideParts().flatMap(({ guides }) => guides.map(({ file }) => file))
  const inOrder = files.map((file) => members.find((one) => fileOf(project, one) === file))
  const documents = section === 'Guides' ? inOrder : members
  const at = documents.indexOf(model)
  if (at === -1) return ''
  const guide = (/** @type {number} */ index, /** @type {string} */ label) => {
    const found = documents[index]
    return found
      ? `<a href="${context.urlTo(found)}"><small>${label}</small>${escapeHtml(found.name)}</a>`
      : '<span></span>'
  }
  return `<nav class="onward" aria-label="${section}">${guide(at - 1, 'Previous')}${guide(at + 1, 'Next')}</nav>`
}

/** Repeats the rail of a long page above its text, for a phone. @param {string} content @param {Page} page @param {string} menu */
function withContents(content, page, menu) {
  const [links = ''] = /<a href.*(?=<\/div><\/details>)/s.exec(menu) ?? []
  const isFlat = page.pageSections.every(({ title }) => title === '')
  if (!isFlat || CLASSES[page.url] === 'overview' || links.split('<a ').length < 4) return content
  return content.replace(
    '</h1>',
    `</h1><details class="contents"><summary>On this page</summary>${links}</details>`,
  )
}

/** Writes what changes into the landing page. @param {string} content */
function landing(content) {
  const { paths, edges } = figures()
  return content
    .replace('{live}', link('live.html', 'full view'))
    .replace('{paths}', paths)
    .replace('{edges}', edges)
    .concat(PASS_FAULT)
}

/** The counts of all walked graphs, as the tests check them. */
function figures() {
  const lines = [
    ...readFileSync(join(docs, 'testing.md'), 'utf8').matchAll(/^[\w ]+: (\d+) paths, (\d+) of \d+ edges$/gm),
  ]
  const sum = (/** @type {1 | 2} */ column) => lines.reduce((total, line) => total + Number(line[column]), 0)
  return { paths: sum(1).toLocaleString('en'), edges: sum(2).toLocaleString('en') }
}

/** @param {Context} context @param {Page} page */
function toolbar(context, page) {
  const at = (/** @type {string} */ path) => context.relativeURL(path)
  return `<header>
<a href="${at('index.html')}" class="title"><img src="${at('assets/mark.svg')}" width="24" height="24" alt=""> Authgraph</a>
<nav class="site" aria-label="Main">${mainLinks(context, page)}</nav>
<button type="button" id="tsd-search-trigger" class="search">${SEARCH}Search <kbd>/</kbd></button>
<dialog id="tsd-search" aria-label="Search">
<input role="combobox" id="tsd-search-input" aria-label="Search the docs" aria-controls="tsd-search-results" aria-autocomplete="list" aria-expanded="true" autocapitalize="off" autocomplete="off" placeholder="Search guides and API" maxlength="300">
<button type="button" id="clear">Clear</button>
<button type="button" id="close">Close</button>
<div id="tsd-search-status" aria-live="polite" aria-atomic="true"></div>
<div role="listbox" id="tsd-search-results" aria-label="Results" tabindex="-1"></div>
<p class="keys"><kbd>↑</kbd> <kbd>↓</kbd> select, <kbd>Enter</kbd> opens, <kbd>Esc</kbd> closes</p>
<nav class="often" aria-label="Often read">${OFTEN.map((name) => link(at(`documents/${name.replaceAll(' ', '_')}.html`), name)).join('')}</nav>
</dialog>
<a href="#" class="menu" data-toggle="menu" role="button" aria-label="Menu">${MENU}</a>
</header>`
}

/** The main pages: the section of this one is marked in the head. @param {Context} context @param {Page} [page] */
function mainLinks(context, page) {
  const section = page && page.url !== 'index.html' && sectionFor(page)
  return LINKS.replaceAll(/(?<=href=")(?!https:)/g, context.relativeURL('./')).replace(
    `>${section}<`,
    ' aria-current="page"$&',
  )
}

/** The main page to which a page belongs. @param {Page} page */
function sectionFor({ project, model }) {
  const section = model.isDocument() ? sectionOf(project, model) : 'API'
  return { Extending: 'Guides', 'In detail': 'Evidence' }[section] ?? section
}

/** @param {Context} context @param {Page} page */
function navigation(context, page) {
  const { project } = page
  const documents = project.documents ?? []
  const item = (
    /** @type {import('typedoc').Reflection} */ reflection,
    inside = '',
    name = reflection.name,
  ) => `<li>${link(context.urlTo(reflection), name, reflection === page.model)}${inside}</li>`
  const sections = Object.keys(SECTIONS).map((name) => {
    const members = documents.filter((document) => sectionOf(project, document) === name)
    if (name !== 'Guides')
      return section(name, members.includes(page.model), list(members.map((one) => item(one))))
    const [overview] = members
    const parts = guideParts().map(({ title, guides }) => {
      const pages = guides.map(({ file }) => members.find((document) => fileOf(project, document) === file))
      return `<p>${title}</p>${list(pages.map((page) => item(page)))}`
    })
    const isOpen = page.model.isDocument() || page.url === 'index.html'
    return section(name, isOpen, list([item(overview, '', 'Overview')]) + parts.join(''))
  })
  const modules = (project.children ?? []).map((module) =>
    item(
      module,
      holds(module, page.model)
        ? module.groups
            .map((group, index) => {
              const isOpen = index === 0 || group.children.some((child) => holds(child, page.model))
              const members = list(group.children.map((child) => item(child)))
              return section(`${group.title} <small>${group.children.length}</small>`, isOpen, members)
            })
            .join('')
        : '',
    ),
  )
  sections.splice(2, 0, section('API', !page.model.isDocument(), list(modules)))
  const pages = PAGES.map(({ url, text }) => `<li>${link(context.relativeURL(url), text)}</li>`)
  sections.splice(1, 0, section('See it run', true, list(pages)))
  return `<nav class="sections" aria-label="Pages">${sections.join('')}</nav>`
}

/** @param {string} title @param {boolean} isOpen @param {string} content */
function section(title, isOpen, content) {
  return `<details${isOpen ? ' open' : ''}><summary>${title}</summary>${content}</details>`
}

/** @param {readonly string[]} items */
function list(items) {
  return `<ul>${items.join('')}</ul>`
}

function holds(module, reflection) {
  return reflection === module || (reflection.parent !== undefined && holds(module, reflection.parent))
}

function link(url, name, isCurrent = false) {
  return `<a href="${url}"${isCurrent ? ' aria-current="page"' : ''}>${escapeHtml(name).replaceAll(/(?<=[a-z])(?=[A-Z])/g, '<wbr>')}</a>`
}

/** @param {import('typedoc').JSX.Element | null | undefined} element */
function text(element) {
  return JSX.renderElement(element)
}

function raw(html) {
  return JSX.createElement(JSX.Raw, { html })
}
