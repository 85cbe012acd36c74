/** The style of the verification page: light and dark, on a phone and on a desk. Colours have a contrast of 4.5 at least. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #f5f6f8; --card: #fff; --line: #c8ced6; --quiet: #57606a; --act: #0b5cad; --bad: #a3211b }
@media (prefers-color-scheme: dark) { :root { --ink: #eceff3; --paper: #12151a; --card: #1c2128; --line: #444c56; --quiet: #a5b0bd; --act: #6cb6ff; --bad: #ff938a } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--paper); color: var(--ink); font: 1.0625rem/1.5 system-ui, sans-serif }
main { width: 100%; max-width: 26rem; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 1rem }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25 }
p { margin: 0 0 1rem }
.quiet { color: var(--quiet) }
.bad { color: var(--bad); font-weight: 600 }
label { display: block; font-weight: 600; margin-bottom: .375rem }
input[type=text], .code { width: 100%; padding: .75rem; border: 1px solid var(--line); border-radius: .5rem; background: transparent; color: inherit; font: 700 1.75rem/1.2 ui-monospace, monospace; letter-spacing: .1em; text-align: center; text-transform: uppercase }
.code { display: block; margin-bottom: 1rem }
ul { margin: 0 0 1rem; padding-left: 1.25rem }
.choices { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; margin-top: 1.25rem }
button { width: 100%; margin-top: 1.25rem; padding: .8rem 1rem; border: 2px solid var(--act); border-radius: .5rem; background: transparent; color: var(--act); font: 600 1.0625rem/1.2 system-ui, sans-serif; cursor: pointer }
.choices button { margin: 0 }
:focus-visible { outline: 3px solid var(--act); outline-offset: 2px }
`
