// Takes the screenshots of the README and the site in docs/images. Build the site first with `npm run docs`: node docs/tools/site-screenshots.js
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import MarkdownIt from 'markdown-it'
import { takePictures } from './take-pictures.js'

const root = resolve(import.meta.dirname, '../..')
const site = resolve(root, 'docs/site')
const pages = {
  landing: 'index.html',
  guide: 'documents/Keep_and_refresh_a_token.html',
  api: 'functions/authgraph.authorizeDevice.html',
}
const screens = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } }

/** The look of a README at GitHub, in its column of 830 pixels. */
const STYLE = `
:root{color-scheme:light dark}
body{margin:0;background:light-dark(#fff,#0d1117);color:light-dark(#1f2328,#f0f6fc);font:16px/1.5 "Segoe UI","Noto Sans",Helvetica,Arial,sans-serif}
main{max-width:830px;margin:0 auto;padding:32px 16px}
a{color:light-dark(#0969da,#4493f8)}
h1,h2{margin:24px 0 16px;padding-bottom:.3em;border-bottom:1px solid light-dark(#d1d9e0b3,#3d444db3)}
p,ul,pre{margin:0 0 16px}ul{padding-left:2em}li+li{margin-top:.25em}
code,pre{border-radius:6px;background:light-dark(#818b981f,#656c7633);font:85% ui-monospace,Menlo,Consolas,monospace}
code{padding:.2em .4em}pre{padding:16px;overflow:auto;line-height:1.45}pre code{padding:0;background:none;font-size:100%}
img{max-width:100%}`

/** Beside the README, so that its pictures are found. */
const readme = resolve(root, 'README.html')
const text = MarkdownIt({ html: true }).render(readFileSync(resolve(root, 'README.md'), 'utf8'))
writeFileSync(readme, `<!doctype html><meta charset="utf-8"><style>${STYLE}</style><main>${text}</main>`)

await takePictures('readme', screens, async (page, keep) => {
  await page.goto(String(pathToFileURL(readme)))
  keep(await page.screenshot())
  const height = await page.evaluate('document.documentElement.scrollHeight')
  process.stdout.write(`README: ${height} pixels at a width of ${page.viewportSize()?.width}\n`)
})
rmSync(readme)

await takePictures('site', screens, async (page, keep) => {
  for (const [name, address] of Object.entries(pages)) {
    await page.goto(String(pathToFileURL(resolve(site, address))))
    if (name === 'landing') await showLive(page)
    keep(await page.screenshot({ fullPage: name === 'landing' }), name)
  }
})

/** Waits until the live page in the landing page plays. It plays only in sight. */
async function showLive(page) {
  await page.locator('.scene iframe').scrollIntoViewIfNeeded()
  await page.waitForTimeout(3000)
  // The head does not follow to there.
  await page.addStyleTag({ content: '.tsd-page-toolbar { position: static !important }' })
}
