import { escapeHtml } from './escape-html.ts'
import type { Page, PageForm, PageState, Refusal } from './page.ts'
import { STYLE } from './style.ts'

const REFUSALS = {
  missing: 'Enter the eight letters that your device shows.',
  unknown: 'This code is not known. Compare it with the one on your device.',
  expired: 'This code has expired. Ask your device for a new one.',
  decided: 'This code was used already. Ask your device for a new one.',
  forged: 'The page was open for too long, or cookies are off. Enter the code again.',
} satisfies Record<Refusal, string>

/**
 * The verification page of the service: plain HTML, no script.
 *
 * @group Service
 */
export const defaultPage: Page = (state) => {
  const { title, body } = content(state)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style nonce="${escapeHtml(state.nonce)}">${STYLE}</style>
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
    case 'refused':
      return { title: 'Connect a device', body: enter(state, REFUSALS[state.reason]) }
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

function enter({ action, csrf, userCode }: PageForm, refusal?: string): string {
  return `${refusal ? `<p class="bad" id="refusal" role="alert">${refusal}</p>` : ''}
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
