import type { Page, PageState, Refusal } from './page.ts'

const REFUSALS: Record<Refusal, string> = {
  missing: 'Enter the eight letters that your device shows.',
  unknown: 'This code is not known. Compare it with the one on your device.',
  expired: 'This code has expired. Ask your device for a new one.',
  decided: 'This code was used already. Ask your device for a new one.',
  forged: 'The page was open for too long, or cookies are off. Enter the code again.',
}

const STYLE = `
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

/** The verification page of the service: plain HTML, no script. */
export const defaultPage: Page = (state) => {
  const { title, body } = content(state)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`
}

function content(state: PageState): { readonly title: string; readonly body: string } {
  switch (state.type) {
    case 'enter':
      return { title: 'Connect a device', body: enter(state) }
    case 'confirm':
      return { title: `Connect ${escapeHtml(state.client)}?`, body: confirm(state) }
    case 'done':
      return state.decision === 'approved'
        ? {
            title: 'Your device is connected',
            body: '<p>You can close this page and go back to your device.</p>',
          }
        : { title: 'Request denied', body: '<p>The device gets no access. You can close this page.</p>' }
  }
}

function enter({ action, csrf, userCode, refusal }: Extract<PageState, { type: 'enter' }>): string {
  return `${refusal ? `<p class="bad" id="refusal" role="alert">${REFUSALS[refusal]}</p>` : ''}
<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="csrf" value="${escapeHtml(csrf)}">
<label for="user_code">Code shown on your device</label>
<input type="text" id="user_code" name="user_code" value="${escapeHtml(userCode)}" placeholder="XXXX-XXXX" maxlength="32" autocomplete="off" autocapitalize="characters" spellcheck="false" autofocus${refusal ? ' aria-invalid="true" aria-describedby="refusal"' : ''}>
<button type="submit">Continue</button>
</form>`
}

function confirm({ action, csrf, userCode, scopes }: Extract<PageState, { type: 'confirm' }>): string {
  const wishes = scopes.map((scope) => `<li><code>${escapeHtml(scope)}</code></li>`).join('')
  return `<p>Go on only if you see this code on your own device, and asked for it yourself.</p>
<strong class="code">${escapeHtml(userCode)}</strong>
${wishes ? `<p class="quiet">It asks for access to:</p><ul>${wishes}</ul>` : '<p class="quiet">It asks only to know who you are.</p>'}
<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="csrf" value="${escapeHtml(csrf)}">
<input type="hidden" name="user_code" value="${escapeHtml(userCode)}">
<div class="choices">
<button type="submit" name="decision" value="deny">Deny</button>
<button type="submit" name="decision" value="approve">Approve</button>
</div>
</form>`
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
