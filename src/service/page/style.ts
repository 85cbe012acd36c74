export const DARK_PAGE = '#0d0f14'

export const LIGHT_CARD = '#ffffff'
export const DARK_CARD = '#171a21'

/** The light and the dark background on which colors have the least contrast. */
export const LIGHT_SURFACE = '#eef0f4'
export const DARK_SURFACE = '#1f2431'

/**
 * The style of the verification page, light and dark, for phones and desktops. Texts have a contrast of at least 4.5,
 * and the borders of controls of at least 3.
 */
export const STYLE = `
:root { color-scheme: light dark; --ink: #14171f; --quiet: #535b69; --hint: #6b7280; --page: ${LIGHT_SURFACE}; --card: ${LIGHT_CARD}; --line: #dfe3ea; --edge: #7c8594; --act: #0b5cad; --fill: var(--act); --on-fill: #fff; --soft: #eff5fb; --good: #157347; --bad: #ad1f17; --bad-soft: #fdf0ef; --pad: clamp(1.25rem, 6vw, 2.25rem) }
html { scroll-padding-bottom: 6rem }
@media (prefers-color-scheme: dark) { :root { --ink: #e9ecf2; --quiet: #a4adbc; --hint: #7f8897; --page: ${DARK_PAGE}; --card: ${DARK_CARD}; --line: #2b313c; --edge: #7a8494; --act: #79bcff; --on-fill: #0b0e12; --soft: ${DARK_SURFACE}; --good: #6fd6a0; --bad: #ffa59d; --bad-soft: #331c1e } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; min-height: 100dvh; display: grid; place-items: center; padding: 1.5rem 1rem; background: var(--page); color: var(--ink); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere; -webkit-text-size-adjust: 100% }
main { width: 100%; max-width: 28rem; padding: var(--pad); background: var(--card); border: 1px solid var(--line); border-radius: 1.25rem; box-shadow: 0 1px 2px #0a0e1a0d, 0 12px 32px #0a0e1a12 }
header { display: flex; align-items: center; gap: .75rem; margin-bottom: 1.5rem; line-height: 1.35 }
header strong, header small { display: block }
header img { flex: none; height: 2.5rem; max-width: 40% }
footer { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin-top: 1.5rem; font-size: .8125rem; color: var(--quiet) }
footer > a { margin-inline-start: auto }
footer bdi { font-weight: 600; color: var(--ink) }
a { color: var(--act) }
h1 { margin: 0 0 .75rem; font-size: 1.375rem; line-height: 1.25; letter-spacing: -.01em; text-wrap: balance }
h2 { margin: 1.5rem 0 .5rem; font-size: .8125rem; line-height: 1.4; font-weight: 600; color: var(--quiet) }
p, .notice { margin: 0 0 1.25rem; text-wrap: pretty }
em { font-style: normal; font-weight: 700 }
small { font-size: .8125rem; color: var(--quiet) }
svg { flex: none; width: 1.125rem; height: 1.125rem; fill: none; stroke: currentColor; stroke-linecap: round; stroke-linejoin: round }
.mark { width: 2.5rem; height: 2.5rem; color: var(--on-fill) }
.mark rect { fill: var(--fill); stroke: none }
label { display: block; margin-bottom: .375rem; font-weight: 600 }
.code { display: block; width: 100%; margin: 0; padding: .75rem .5rem; border: 1px solid var(--line); border-radius: .75rem; background: var(--soft); color: inherit; font: 700 clamp(1.5rem, 8vw, 2.125rem)/1.25 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; letter-spacing: .08em; text-align: center; text-transform: uppercase }
input.code { border: 1.5px solid var(--edge); background: var(--card) }
input[aria-invalid] { border-color: var(--bad) }
::placeholder { color: var(--hint); opacity: 1; font-size: 1.25rem; font-weight: 400; letter-spacing: .16em }
.notice { padding: .75rem 1rem; border-inline-start: 4px solid var(--bad); border-radius: .5rem; background: var(--bad-soft) }
.notice strong, .risk { color: var(--bad) }
.notice strong { display: block }
.risk { float: inline-end; margin-inline-start: .75rem; margin-block-end: 1.25rem; padding: 0 .5rem; border-radius: 1rem; background: var(--bad-soft); font-size: .75rem; line-height: 1.25rem }
.caution { padding-inline-start: .75rem; border-inline-start: 4px solid var(--edge) }
.code + .caution { margin-top: 1rem }
ul { margin: 0; padding: 0; list-style: none }
li { padding: .625rem 0; border-top: 1px solid var(--line); line-height: 1.4 }
li:last-child { border-bottom: 1px solid var(--line) }
code { font: .8125rem ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
li small { display: block }
li > code { font-size: .9375rem }
dl { margin: 0 }
time { display: block }
dl div { display: flex; flex-wrap: wrap; gap: 0 1rem; padding: .125rem 0 }
dt { flex: 0 0 6.5rem; color: var(--quiet) }
dd { flex: 1 1 9rem; margin: 0 }
.choices button { padding-inline: .5rem }
.choices { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(8rem, 100%), 1fr)); gap: .75rem; margin: 1.5rem calc(-1 * var(--pad)) 0; padding: .75rem var(--pad); border-top: 1px solid var(--line); background: var(--card); box-shadow: 0 -1.5rem .75rem -.75rem var(--card) }
@media (min-height: 36rem) { form:has(.choices) { position: sticky; bottom: 0 } }
form:has(.choices):last-child { margin-bottom: calc(.75rem - var(--pad)) }
.choices:last-child { border-radius: 0 0 1.25rem 1.25rem }
button, .main { display: flex; align-items: center; justify-content: center; gap: .5rem; width: 100%; min-height: 3rem; padding: .625rem 1rem; border: 1.5px solid var(--edge); border-radius: .75rem; background: var(--card); color: var(--ink); font: inherit; font-weight: 600; line-height: 1.25; text-decoration: none; cursor: pointer }
button:hover { background: var(--soft) }
.main { margin-top: 1rem; border-color: var(--act); background: var(--fill); color: var(--on-fill) }
.main:hover { background: var(--fill); text-decoration: underline; text-underline-offset: .2em }
:focus-visible { outline: 3px solid var(--act); outline-offset: 2px }
.done { text-align: center }
.done p { margin: 0; color: var(--quiet); text-wrap: balance }
.done + .caution { margin: 1.5rem 0 0 }
.done + footer > a { margin: auto }
.seal { width: 4rem; height: 4rem; margin-bottom: 1rem }
.good { color: var(--good) }
.quiet { color: var(--quiet) }
@media (prefers-reduced-motion: no-preference) { button, .main { transition: background-color .12s } }
`
