// Takes the screenshots of the guide's logins in docs/images/guides: node docs/tools/login-screenshots.js
import { resolve } from 'node:path'
import { build } from 'esbuild'
import { takePictures } from './take-pictures.js'

const root = resolve(import.meta.dirname, '../..')

/** The guide's examples, one for each framework. */
const ENTRY = `
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { createApp, h } from 'vue'
import { Login } from './login-react.tsx'
import { loginStore } from './login-svelte.ts'
import { useLogin } from './login-vue.ts'

const place = (name) => document.querySelector('#' + name)
const onToken = () => {}
createRoot(place('react')).render(createElement(Login, { clientId: 'id', onToken }))
createApp({
  setup() {
    const view = useLogin('id', onToken)
    return () => h('section', lines(view.value).map(([tag, text]) => h(tag, text)))
  },
}).mount(place('vue'))
loginStore('id', onToken).subscribe((view) => {
  place('svelte').replaceChildren(...lines(view).map(([tag, text]) => Object.assign(document.createElement(tag), { textContent: text })))
})
function lines(view) {
  return [['p', view?.text], ['a', view?.verificationUri], ['code', view?.userCode], ['p', view?.secondsLeft + ' seconds left']]
}`

const PAGE = `<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Login</title>
<style>
body{margin:0;padding:24px;display:grid;grid-template-columns:repeat(auto-fit,minmax(280px,1fr));gap:20px;font:15px/1.5 system-ui,sans-serif;background:light-dark(#f6f8fa,#0d1117);color:light-dark(#1b1f24,#eceff3)}
article{padding:20px 22px;border:1px solid light-dark(#d0d7de,#3d4650);border-radius:12px;background:light-dark(#fff,#161b22)}
h2{margin:0 0 8px;font-size:13px;letter-spacing:.06em;text-transform:uppercase;color:light-dark(#57606a,#a5b0bd)}
p{margin:0 0 8px}a{display:block;text-decoration:underline;color:light-dark(#0b5cad,#8cc8ff)}
code{display:block;margin:12px 0;padding:8px 0;border-radius:8px;background:light-dark(#eef2f6,#20252c);font:700 24px ui-monospace,monospace;text-align:center;letter-spacing:.06em}
</style>
<article><h2>React</h2><div id="react"></div></article>
<article><h2>Vue</h2><div id="vue"></div></article>
<article><h2>Svelte</h2><div id="svelte"></div></article>
<script type="module" src="/entry.js"></script>`

const CODES = {
  device_code: '0000000000000000000000000000000000000000',
  user_code: 'WDJB-MJHT',
  verification_uri: 'https://github.com/login/device',
  expires_in: 900,
  interval: 5,
}

const { outputFiles } = await build({
  stdin: { contents: ENTRY, resolveDir: resolve(root, 'test/guides/browser'), loader: 'tsx' },
  alias: { authgraph: resolve(root, 'src/index.ts') },
  bundle: true,
  format: 'esm',
  jsx: 'automatic',
  define: { 'process.env.NODE_ENV': '"production"' },
  logLevel: 'error',
  write: false,
})
const RESPONSES = {
  '/': { contentType: 'text/html', body: PAGE },
  '/entry.js': { contentType: 'text/javascript', body: outputFiles[0].text },
  '/login/device/code': { json: CODES },
}

const screens = { browser: { width: 960, height: 280 }, 'browser-narrow': { width: 390, height: 280 } }

await takePictures('guides', screens, async (page, keep) => {
  await page.route('**/*', (route) =>
    route.fulfill(
      RESPONSES[new URL(route.request().url()).pathname] ?? { json: { error: 'authorization_pending' } },
    ),
  )
  await page.goto('http://localhost/')
  await page.locator('#svelte code:not(:empty)').waitFor()
  keep(await page.screenshot({ fullPage: true }))
})
