// @ts-check
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { extname, join, relative, resolve } from 'node:path'
import { RendererEvent } from 'typedoc'
import { escapeHtml } from './escape-html.js'

const root = resolve(import.meta.dirname, '../..')

/** The language of each kind of file that gets a page. @type {Record<string, string>} */
const LANGUAGES = {
  '.conf': 'nginx',
  '.js': 'javascript',
  '.json': 'json',
  '.md': '',
  '.service': 'ini',
  '.ts': 'typescript',
  '.tsx': 'tsx',
}

/**
 * Gives each program and text that a document links to a page with its name and its code: a browser would download a
 * `.ts` file, as a video.
 *
 * @param {import('typedoc').Application} app
 */
export function load(app) {
  const showFiles = (/** @type {RendererEvent} */ { outputDirectory, project }) => {
    const files = project.files.getNameToAbsoluteMap()
    const hasPage = (/** @type {string} */ name) => files.has(name) && extname(name) in LANGUAGES
    mkdirSync(join(outputDirectory, 'media'), { recursive: true })
    for (const [name, path] of files) {
      if (!hasPage(name)) continue
      const code = readFileSync(path, 'utf8')
      const language = LANGUAGES[extname(name)]
      const html = language ? app.renderer.markedPlugin.getHighlighted(code, language) : withAnchors(code)
      writeFileSync(join(outputDirectory, `media/${name}.html`), pageOf(relative(root, path), html))
    }
    for (const name of readdirSync(outputDirectory, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.html')) continue
      const page = join(outputDirectory, name)
      const html = readFileSync(page, 'utf8')
      const linked = html.replaceAll(/href="([^"]*\bmedia\/([^"#]+))/g, (link, address, file) =>
        hasPage(decodeURIComponent(file)) ? `href="${address}.html` : link,
      )
      if (linked !== html) writeFileSync(page, linked)
    }
  }
  // Before TypeDoc writes the colors of all code.
  app.renderer.on(RendererEvent.END, showFiles, 1000)
}

/** @param {string} markdown */
function withAnchors(markdown) {
  return escapeHtml(markdown).replaceAll(
    /^#+ (.*)$/gm,
    (line, heading) =>
      `<b id="${heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-')}">${line}</b>`,
  )
}

/** @param {string} path @param {string} html */
function pageOf(path, html) {
  return `<!DOCTYPE html>
<html lang="en" data-theme="os">
<head>
<meta charset="utf-8">
<title>${path} | Authgraph</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="../assets/mark.svg">
${['style', 'highlight', 'custom'].map((name) => `<link rel="stylesheet" href="../assets/${name}.css">`).join('\n')}
</head>
<body>
<main class="container">
<p><a href="../index.html">Authgraph</a></p>
<h1 style="overflow-wrap: anywhere">${path}</h1>
<pre><code>${html}</code></pre>
</main>
</body>
</html>`
}
