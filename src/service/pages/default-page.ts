import { requestFacts, type ScopeTexts, scopeItems } from './describe-request.ts'
import { escapeHtml } from './escape-html.ts'
import { APPROVE, APPROVED, DENIED, DENY, MARK } from './icons.ts'
import type { Page, PageForm, PageState, Refusal } from './page.ts'
import { STYLE } from './style.ts'
import { relativeTime } from './time-in-words.ts'

type State<Type extends PageState['type']> = Extract<PageState, { type: Type }>

/** Tells the user what happened and what to do. */
interface Notice {
  readonly title: string
  readonly text: string
  /** Whether the user can use the code again as it is. */
  readonly isGood: boolean
}

interface Content {
  /** The title of the window. */
  readonly title: string
  readonly body: string
}

const CONNECT = 'Connect a device'

/** A user who approves somebody else's code approves somebody else's device. RFC 8628, section 5.4. */
const PHISHING = 'they would get access to your account'

const NOTICES = {
  missing: {
    title: 'No code entered',
    text: 'Enter the eight letters that your device shows.',
    isGood: false,
  },
  unknown: {
    title: 'Unknown code',
    text: 'Compare it with the code on your device and correct it.',
    isGood: false,
  },
  expired: {
    title: 'This code has expired',
    text: 'Start again on your device and enter the new code here.',
    isGood: false,
  },
  decided: {
    title: 'This code was already used',
    text: 'You can use each code only once. If your device is still waiting, start again there to get a new code.',
    isGood: false,
  },
  opened: {
    title: 'This code is open somewhere else',
    text: 'Only the account and the browser that opened it first can decide. If they are not yours, start again on your device and enter the new code here.',
    isGood: false,
  },
  linked: {
    title: 'Type the code',
    text: 'Type the code that the device in front of you shows right now. If someone sent you the code or a link, close this page.',
    isGood: false,
  },
  policy: {
    title: 'This login is not allowed',
    text: 'The rules of this service refused it, and the device has no access to your account. If you started this yourself, ask your administrator.',
    isGood: false,
  },
  forged: {
    title: 'This page was out of date',
    text: 'Nothing was approved or denied. Someone else has signed in, the page was open for too long, or cookies are turned off. Enter the code again.',
    isGood: true,
  },
  limited: {
    title: 'Too many attempts',
    text: 'Compare the code with the one on your device before you try again.',
    isGood: true,
  },
} satisfies Record<Refusal, Notice>

const UNAVAILABLE: Notice = {
  title: 'The service is not available',
  text: 'This is not your fault. Try again in a moment with the same code.',
  isGood: true,
}

/**
 * Options of {@link createPage}.
 *
 * @group Service
 */
export interface PageOptions {
  /**
   * Descriptions of your own scopes, by name: `{ 'orders:read': 'See your orders' }`. For other scopes, the page uses
   * {@link describeScope}, or shows the name.
   */
  readonly scopeTexts?: ScopeTexts
}

/**
 * Creates the default verification page: plain HTML without scripts, in light and dark.
 *
 * @group Service
 */
export function createPage({ scopeTexts = {} }: PageOptions = {}): Page {
  return (state) => document(state, content(state, scopeTexts))
}

/**
 * The default verification page, without options.
 *
 * @group Service
 */
export const defaultPage: Page = createPage()

function document({ nonce }: PageState, { title, body }: Content): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="format-detection" content="telephone=no">
<meta name="theme-color" content="#eef0f4" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#0d0f14" media="(prefers-color-scheme: dark)">
<title>${title}</title>
<style nonce="${escapeHtml(nonce)}">${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`
}

function content(state: PageState, scopeTexts: ScopeTexts): Content {
  switch (state.type) {
    case 'enter':
      return enter(state)
    case 'confirm':
      return confirm(state, scopeTexts)
    case 'done':
      return done(state)
    case 'refused':
      return refused(state)
    case 'unavailable':
      return {
        title: `${UNAVAILABLE.title} · ${CONNECT}`,
        body: `${heading(CONNECT)}${notice(UNAVAILABLE)}
<form action="${escapeHtml(state.action)}">
${codeField(state.userCode, 'aria-describedby="notice" autofocus')}
${button('Try again')}
</form>`,
      }
    case 'signedOut':
      return {
        title: `Sign in · ${CONNECT}`,
        body: `${heading('Sign in to continue')}
<p>You are no longer signed in. Nothing was approved or denied. The page remembers your code while you sign in.</p>
<a class="main" href="${escapeHtml(state.signInAt)}">Sign in</a>`,
      }
    case 'stepUp':
      return {
        title: `Confirm that it is you · ${CONNECT}`,
        body: `${heading('Confirm that it is you')}
<p>Nothing was approved yet. Confirm who you are, then compare the code and approve again.</p>
<a class="main" href="${escapeHtml(state.stepUpAt)}">Continue</a>`,
      }
  }
}

function enter(state: State<'enter'>): Content {
  if (state.userCode === '')
    return {
      title: CONNECT,
      body: `${heading(CONNECT)}
<p id="hint">Enter the code that your device shows. You can type it in lower case and without the hyphen.</p>
<p class="caution">If someone sent you a code, close this page: ${PHISHING}.</p>
${codeForm(state, 'aria-describedby="hint" autofocus')}`,
    }
  // The URL contained the code, and anyone can send a URL. RFC 8628, section 3.3.1. Nothing takes the focus: the user
  // must read first, and the keyboard of a phone must not cover the text.
  return {
    title: `Compare the code · ${CONNECT}`,
    body: `${heading(CONNECT)}
<p id="hint">Is this the code that <em>your own</em> device shows right now? If not, close this page.</p>
<p class="caution">If someone sent you the code or a link, close this page too: ${PHISHING}.</p>
${codeForm(state, 'aria-describedby="hint"')}`,
  }
}

function refused(state: State<'refused'>): Content {
  const { title, text, isGood } = NOTICES[state.reason]
  const wait = state.retryAfter === undefined ? '' : ` You can try again ${relativeTime(state.retryAfter)}.`
  return {
    title: `${title} · ${CONNECT}`,
    body: `${heading(CONNECT)}${notice({ title, text: text + wait })}
${codeForm(state, `aria-describedby="notice"${isGood ? '' : ' aria-invalid="true"'} autofocus`)}`,
  }
}

function confirm(state: State<'confirm'>, scopeTexts: ScopeTexts): Content {
  const client = escapeHtml(state.client)
  return {
    title: `Connect ${client}?`,
    body: `${heading(`Connect ${client}?`)}
<p>Approve only if you started this yourself, on a device in front of you that shows this code:</p>
<p class="code">${escapeHtml(state.userCode)}</p>
<p class="caution">If someone sent you the code or a link, choose Deny: ${PHISHING}.</p>
<h2>${client} will be able to</h2>
<ul>${scopeItems(state.scopes, scopeTexts)}</ul>
<h2>The request</h2>
<dl>
${requestFacts(state)}
</dl>
<form method="post" action="${escapeHtml(state.action)}">
${hidden('csrf', state.csrf)}
${hidden('user_code', state.userCode)}
<div class="choices">
<button name="decision" value="deny">${DENY}Deny</button>
<button name="decision" value="approve">${APPROVE}Approve</button>
</div>
</form>`,
  }
}

function done({ decision }: State<'done'>): Content {
  return decision === 'approved'
    ? {
        title: 'Your device is connected',
        body: `<div class="done" role="status">${APPROVED}<h1>Your device is connected</h1>
<p>It will continue automatically in a few seconds. You can close this window and return to your device.</p></div>`,
      }
    : {
        title: 'You denied the request',
        body: `<div class="done" role="status">${DENIED}<h1>You denied the request</h1>
<p>The device has no access to your account. You can close this window.</p></div>`,
      }
}

function heading(text: string): string {
  return `<header>${MARK}<h1>${text}</h1></header>`
}

function notice({ title, text }: Pick<Notice, 'title' | 'text'>): string {
  return `<div class="notice" id="notice" role="alert"><strong>${title}.</strong> ${text}</div>`
}

function codeForm({ action, csrf, userCode }: PageForm, attributes: string): string {
  return `<form method="post" action="${escapeHtml(action)}">
${hidden('csrf', csrf)}
${codeField(userCode, attributes)}
${button('Continue')}
</form>`
}

function codeField(userCode: string, attributes: string): string {
  return `<label for="user_code">Code</label>
<input class="code" id="user_code" name="user_code" value="${escapeHtml(userCode)}" placeholder="XXXX-XXXX" maxlength="32" inputmode="text" autocomplete="off" autocapitalize="characters" spellcheck="false" ${attributes}>`
}

function hidden(name: string, value: string): string {
  return `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`
}

function button(text: string): string {
  return `<button class="main">${text}</button>`
}
